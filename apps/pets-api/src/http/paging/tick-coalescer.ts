/**
 * Coalesces equal requests within one tick of the event loop. No caller gets data older than its request: the
 * `Pipeline` sends the shared query at the end of the tick, after all of its callers arrived, so callers read their own
 * writes.
 */
export class TickCoalescer<Value> {
  readonly #pending = new Map<string, Promise<Value>>();

  do(name: string, work: () => Promise<Value>): Promise<Value> {
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    if (this.#pending.size === 0) setImmediate(() => this.#pending.clear());
    const result = work();
    this.#pending.set(name, result);
    return result;
  }
}
