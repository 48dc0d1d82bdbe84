/**
 * Answers all who ask for the same thing within one turn of the event loop by doing it once. Nobody gets anything older
 * than their request: what is shared goes out to the database at the end of the turn (`Pipeline`), after all of them
 * came in, so that whoever has just written something reads it.
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
