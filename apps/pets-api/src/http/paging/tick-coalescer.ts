/**
 * Answers all who ask for the same thing within one turn of the event loop by doing it once. Nobody gets anything older
 * than their request: what is shared goes out to the database at the end of the turn (`Pipeline`), after all of them
 * came in, so that whoever has just written something reads it.
 */
export class TickCoalescer<Value> {
  private readonly asked = new Map<string, Promise<Value>>();

  do(name: string, work: () => Promise<Value>): Promise<Value> {
    const known = this.asked.get(name);
    if (known !== undefined) return known;
    if (this.asked.size === 0) setImmediate(() => this.asked.clear());
    const begun = work();
    this.asked.set(name, begun);
    return begun;
  }
}
