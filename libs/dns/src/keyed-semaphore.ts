/**
 * Lets so many at a time through to each server; the others wait for their turn. A server that is sent more datagrams than
 * its socket holds loses the rest, and each one lost costs a whole time-out.
 */
export class KeyedSemaphore {
  readonly #servers = new Map<string, { active: number; readonly waiting: (() => void)[] }>();

  constructor(private readonly limit: number) {}

  async run<Result>(server: string, task: () => Promise<Result>): Promise<Result> {
    const line = this.#servers.get(server) ?? { active: 0, waiting: [] };
    this.#servers.set(server, line);
    if (line.active >= this.limit) await new Promise<void>((resolve) => line.waiting.push(resolve));
    else line.active += 1;
    try {
      return await task();
    } finally {
      // Whoever is next takes over the place; nobody can slip in between.
      const next = line.waiting.shift();
      if (next !== undefined) next();
      else if (--line.active === 0) this.#servers.delete(server);
    }
  }
}
