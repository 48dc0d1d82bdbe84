import { isIPv4 } from 'node:net';
import type { ZoneRecord } from './record-data.js';

/** A name that shows some of its addresses, and others in the next answer. */
export type Rotation = {
  readonly name: string;
  readonly addresses: readonly string[];
  /** How many an answer shows. */
  readonly count: number;
};

/** Short, as providers have it that rotate. */
const TTL = 30;

/** The names whose addresses rotate. IPv4 and IPv6 addresses each have an order of their own. */
export class Rotations {
  readonly #rotations = new Map<string, Rotation>();
  /** The first address of the next answer, by name and type. */
  readonly #next = new Map<string, number>();

  put(rotation: Rotation): void {
    this.remove(rotation.name);
    this.#rotations.set(rotation.name, rotation);
  }

  remove(name: string): void {
    this.#rotations.delete(name);
    for (const type of ['A', 'AAAA']) this.#next.delete(`${name} ${type}`);
  }

  list(): Rotation[] {
    return [...this.#rotations.values()];
  }

  /** All addresses of a name, or undefined where they do not rotate. */
  recordsAt(name: string): readonly ZoneRecord[] | undefined {
    return this.#rotations
      .get(name)
      ?.addresses.map((data) => ({ name, type: isIPv4(data) ? 'A' : 'AAAA', data, ttl: TTL }));
  }

  /** The records that the next answer shows, of those of one name and type. Other records than those of a rotation are all shown. */
  choose(records: readonly ZoneRecord[]): readonly ZoneRecord[] {
    const [first] = records;
    const rotation = first && this.#rotations.get(first.name);
    if (rotation === undefined) return records;
    const key = `${first?.name} ${first?.type}`;
    const start = this.#next.get(key) ?? 0;
    const count = Math.min(rotation.count, records.length);
    this.#next.set(key, (start + count) % records.length);
    return [...records, ...records].slice(start, start + count);
  }
}
