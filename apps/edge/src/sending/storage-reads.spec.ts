import { describe, expect, it } from '@jest/globals';
import { StorageBusyError, StorageReads, type Place } from './storage-reads.js';

const limits = { total: 8, perSite: 4, perAddress: 2, perConnection: 1 };
const LONG_MS = 60_000;

/** Reads that end when they are told to. */
class Desk {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  constructor(private readonly reads = new StorageReads(limits)) {}

  ask(name: string, place: Place, waitMs = LONG_MS): Promise<string> {
    return this.reads.run(place, waitMs, async () => {
      this.begun.push(name);
      await new Promise<void>((resolve) => this.#ends.set(name, resolve));
      return name;
    });
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    for (let tick = 0; tick < 10; tick++) await Promise.resolve();
  }
}

const place = (connection: number, addressGroup: string, site: string): Place => ({
  connection: connections[connection] ?? {},
  addressGroup,
  site,
});
const connections = Array.from({ length: 40 }, () => ({}));

describe('reads from the storage', () => {
  it.each<[string, number, (index: number) => Place]>([
    ['of one connection', 1, () => place(0, 'address', 'site')],
    ['of one address', 2, (index) => place(index, 'address', `site ${index}`)],
    ['of one site', 4, (index) => place(index, `address ${index}`, 'site')],
    ['in all', 8, (index) => place(index, `address ${index}`, `site ${index}`)],
  ])('%s are limited', async (_name, most, placeOf) => {
    const desk = new Desk();
    for (let index = 0; index < 12; index++) void desk.ask(String(index), placeOf(index));
    expect(desk.begun).toHaveLength(most);
    await desk.end('0');
    expect(desk.begun).toHaveLength(most + 1);
    expect(desk.begun.at(-1)).toBe(String(most));
  });

  it('of a site that many ask for keep none from another', async () => {
    const desk = new Desk();
    for (let index = 0; index < 30; index++) void desk.ask(`busy ${index}`, place(index, `address ${index}`, 'busy'));
    void desk.ask('quiet', place(31, 'visitor', 'quiet'));
    expect(desk.begun).toContain('quiet');
  });

  it('of sites that wait begin in turns', async () => {
    const desk = new Desk(new StorageReads({ total: 1, perSite: 1, perAddress: 9, perConnection: 9 }));
    for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0']) void desk.ask(name, place(0, 'address', name.slice(0, 1)));
    for (const name of ['a0', 'a1', 'b0', 'c0', 'a2', 'b1']) await desk.end(name);
    expect(desk.begun).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1']);
  });

  it('that wait for too long are refused, and leave no trace', async () => {
    const reads = new StorageReads(limits);
    const desk = new Desk(reads);
    const first = desk.ask('first', place(0, 'address', 'site'));
    await expect(desk.ask('second', place(0, 'address', 'site'), 5)).rejects.toThrow(StorageBusyError);
    await desk.end('first');
    expect([await first, desk.begun, reads.active]).toEqual(['first', ['first'], 0]);
  });

  it('do not wait where too many of one address do', async () => {
    const desk = new Desk();
    const refused: unknown[] = [];
    for (let index = 0; index < 300; index++)
      desk.ask(String(index), place(0, 'address', 'site')).catch((error: unknown) => refused.push(error));
    await desk.end('none');
    expect(refused).toHaveLength(300 - 1 - 256);
  });

  it('that fail give their place back', async () => {
    const reads = new StorageReads(limits);
    const failing = reads.run(place(0, 'address', 'site'), LONG_MS, () => Promise.reject(new Error('no such file')));
    await expect(failing).rejects.toThrow('no such file');
    expect(reads.active).toBe(0);
  });
});
