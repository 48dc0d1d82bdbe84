import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@pets/platform';
import { Lease } from './lease.js';
import { RouteTable, type TableState } from './route-table.js';
import { Settler } from './settler.js';

const forever = new Promise<void>(() => undefined);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const log: string[] = [];
  const disk = { fails: false };
  const table = new RouteTable();
  const settler: Settler = new Settler(
    table,
    new Lease(10, () => 0),
    {
      save: async (state: TableState) => {
        if (disk.fails) throw new Error('disk full');
        log.push(`save ${state.version}`);
      },
    },
    async () => {
      log.push(`ack ${settler.settled.version}`);
      return true;
    },
    createLogger('test', 'silent'),
  );
  const apply = (version: number, isUrgent: boolean, certificatesFetched: Promise<unknown> = Promise.resolve()) => {
    const after = table.state.version;
    table.apply({ kind: 'batch', epoch: 'e', after, version, reset: after === 0, entries: [], thumbprint: null });
    settler.applied({ isUrgent, certificatesFetched });
  };
  return { settler, log, disk, apply };
}

describe('Settler', () => {
  it('acknowledges after the snapshot is written', async () => {
    const { log, apply } = setUp();
    apply(1, false);
    await nextTurn();
    expect(log).toEqual(['save 1', 'ack 1']);
  });

  it('waits for the certificates of a batch before it acknowledges', async () => {
    const { log, apply } = setUp();
    const fetched = Promise.withResolvers<void>();
    apply(1, false, fetched.promise);
    await nextTurn();
    expect(log).toEqual(['save 1']);
    fetched.resolve();
    await nextTurn();
    expect(log).toEqual(['save 1', 'ack 1']);
  });

  it('never lets a removal wait for certificates, not even for those of an earlier batch', async () => {
    const { log, apply } = setUp();
    apply(1, false, forever);
    await nextTurn();
    apply(2, true);
    await nextTurn();
    expect(log).toEqual(['save 1', 'save 2', 'ack 2']);
  });

  it('does not acknowledge what could not be written, and makes up for it', async () => {
    const { settler, log, disk, apply } = setUp();
    disk.fails = true;
    apply(1, true);
    await nextTurn();
    expect(log).toEqual([]);
    disk.fails = false;
    settler.retry();
    await nextTurn();
    expect(log).toEqual(['save 1', 'ack 1']);
  });

  it('sends nothing after it was stopped', async () => {
    const { settler, log, apply } = setUp();
    apply(1, false, forever);
    await nextTurn();
    await settler.stop();
    apply(2, true);
    await nextTurn();
    expect(log).toEqual(['save 1']);
  });
});
