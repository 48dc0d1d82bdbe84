import { parentOf, registrableDomainOf } from '@pets/domains';

const KEPT_MS = 30_000;
const MAX_KEPT = 10_000;

/**
 * Names that nobody answered a moment ago, so that the next questions about them and about names below them get a short
 * timeout. By the name that was asked, never by the server: a delegation may name somebody else's servers. A name is below
 * the owner of its zone, so nobody can enter the zone of another. A public suffix is never remembered, nor a name for longer
 * because it was silent again: each gets a complete attempt every half minute.
 */
export class SilentZones {
  /** The time until which each is remembered, the oldest first. */
  readonly #names = new Map<string, number>();
  readonly #keptMs: number;
  readonly #maxKept: number;

  constructor({ keptMs = KEPT_MS, maxKept = MAX_KEPT } = {}) {
    this.#keptMs = keptMs;
    this.#maxKept = maxKept;
  }

  add(name: string): void {
    if (registrableDomainOf(name) === null || this.has(name)) return;
    this.#names.delete(name);
    this.#names.set(name, performance.now() + this.#keptMs);
    const [oldest] = this.#names.keys();
    if (this.#names.size > this.#maxKept && oldest !== undefined) this.#names.delete(oldest);
  }

  delete(name: string): void {
    this.#names.delete(name);
  }

  /** Whether the name, or one that it is below, was silent. */
  has(name: string): boolean {
    if (this.#names.size === 0) return false;
    for (let at = name; at.includes('.'); at = parentOf(at))
      if ((this.#names.get(at) ?? 0) > performance.now()) return true;
    return false;
  }
}
