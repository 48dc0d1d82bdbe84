import { describe, expect, it } from '@jest/globals';
import { StorageBusyError, StorageReads, type ReadSource } from './storage-reads.js';

const limits = { total: 8, perSite: 4, perAddress: 2, perConnection: 1 };
const LONG_MS = 60_000;

/** Reads that the test ends. */
class ControlledReads {
  readonly begun: string[] = [];
  readonly #reads: StorageReads;
  readonly #ends = new Map<string, () => void>();

  constructor(reads = new StorageReads(limits)) {
    this.#reads = reads;
  }

  ask(name: string, source: ReadSource, waitMs = LONG_MS): Promise<string> {
    const read = this.#reads.run(source, waitMs, async () => {
      this.begun.push(name);
      await new Promise<void>((resolve) => this.#ends.set(name, resolve));
      return name;
    });
    // Some still wait when the test has ended; they are refused while another test runs.
    read.catch(() => undefined);
    return read;
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    for (let tick = 0; tick < 10; tick++) await Promise.resolve();
  }
}

const place = (connection: number, addressGroup: string, site: string): ReadSource => ({
  connection: connections[connection] ?? {},
  addressGroup,
  site,
});
const connections = Array.from({ length: 40 }, () => ({}));

describe('reads from the storage', () => {
  it.each<[string, number, (index: number) => ReadSource]>([
    ['of one connection', 1, () => place(0, 'address', 'site')],
    ['of one address', 2, (index) => place(index, 'address', `site ${index}`)],
    ['of one site', 4, (index) => place(index, `address ${index}`, 'site')],
    ['in all', 8, (index) => place(index, `address ${index}`, `site ${index}`)],
  ])('%s are limited', async (_name, most, placeOf) => {
    const controlled = new ControlledReads();
    for (let index = 0; index < 12; index++) void controlled.ask(String(index), placeOf(index));
    expect(controlled.begun).toHaveLength(most);
    await controlled.end('0');
    expect(controlled.begun).toHaveLength(most + 1);
    expect(controlled.begun.at(-1)).toBe(String(most));
  });

  it('of a busy site do not block another site', async () => {
    const controlled = new ControlledReads();
    for (let index = 0; index < 30; index++)
      void controlled.ask(`busy ${index}`, place(index, `address ${index}`, 'busy'));
    void controlled.ask('quiet', place(31, 'visitor', 'quiet'));
    expect(controlled.begun).toContain('quiet');
  });

  it('of waiting sites begin in turn', async () => {
    const controlled = new ControlledReads(new StorageReads({ total: 1, perSite: 1, perAddress: 9, perConnection: 9 }));
    for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0'])
      void controlled.ask(name, place(0, 'address', name.slice(0, 1)));
    for (const name of ['a0', 'a1', 'b0', 'c0', 'a2', 'b1']) await controlled.end(name);
    expect(controlled.begun).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1']);
  });

  it('that wait for too long are refused and free their place', async () => {
    const reads = new StorageReads(limits);
    const controlled = new ControlledReads(reads);
    const first = controlled.ask('first', place(0, 'address', 'site'));
    await expect(controlled.ask('second', place(0, 'address', 'site'), 5)).rejects.toThrow(StorageBusyError);
    await controlled.end('first');
    expect(await first).toBe('first');
    expect(controlled.begun).toEqual(['first']);
    expect(reads.active).toBe(0);
  });

  it('are refused at once when too many of one address wait', async () => {
    const controlled = new ControlledReads();
    const refused: unknown[] = [];
    for (let index = 0; index < 300; index++)
      controlled.ask(String(index), place(0, 'address', 'site')).catch((error: unknown) => refused.push(error));
    await controlled.end('none');
    expect(refused).toHaveLength(300 - 1 - 256);
  });

  it('that fail free their place', async () => {
    const reads = new StorageReads(limits);
    const failing = reads.run(place(0, 'address', 'site'), LONG_MS, () => Promise.reject(new Error('no such file')));
    await expect(failing).rejects.toThrow('no such file');
    expect(reads.active).toBe(0);
  });
});
