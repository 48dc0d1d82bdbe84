import { addressGroup } from './address-group.js';

/** A socket, as far as it matters here. */
export interface WaitingConnection {
  readonly remoteAddress?: string | undefined;
  readonly destroyed: boolean;
}

/**
 * Lets connections begin their handshakes, of each address one a turn of the event loop. A handshake costs the server
 * half a millisecond, and whoever opens many connections at once would make everybody else wait for all of theirs; like
 * this they wait for each other. Nobody is refused, and who comes alone does not wait at all.
 */
export class HandshakeTurns<Waiting extends WaitingConnection> {
  /** Whose turn is used up, with who waits for the next. As many as a quota of connections lets in. */
  readonly #groups = new Map<string, Waiting[]>();

  constructor(
    private readonly begin: (connection: Waiting) => void,
    private readonly nextTurn: (work: () => void) => void = setImmediate,
  ) {}

  take(connection: Waiting): void {
    const group = addressGroup(connection.remoteAddress ?? '');
    const waiting = this.#groups.get(group);
    if (waiting !== undefined) {
      waiting.push(connection);
      return;
    }
    if (this.#groups.size === 0) this.nextTurn(() => this.#turn());
    this.#groups.set(group, []);
    this.begin(connection);
  }

  #turn(): void {
    for (const [group, waiting] of this.#groups) {
      const next = shiftOpen(waiting);
      if (next === undefined) this.#groups.delete(group);
      else this.begin(next);
    }
    if (this.#groups.size > 0) this.nextTurn(() => this.#turn());
  }
}

/** Those who left while they waited have nothing to begin. */
function shiftOpen<Waiting extends WaitingConnection>(waiting: Waiting[]): Waiting | undefined {
  let next = waiting.shift();
  while (next?.destroyed === true) next = waiting.shift();
  return next;
}
