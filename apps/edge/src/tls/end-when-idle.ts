import type { Connection } from './connection.js';

/**
 * Tells, once, when a connection has had no request under way for too long, whatever else the client sends. It looks now
 * and then: a timer that is set back whenever something moves, as Node's own are, costs each request its share. What
 * clients do not take of a reply is looked at in `sending/pending-writes.ts`.
 * @returns what ends the looking
 */
export function endWhenIdle(connection: Connection, idleMs: number, onIdle: () => void): () => void {
  const look = () => {
    const idleForMs = connection.idleMs(performance.now());
    if (idleForMs >= idleMs) onIdle();
    else timer = setTimeout(look, idleMs - idleForMs);
  };
  let timer = setTimeout(look, idleMs);
  return () => clearTimeout(timer);
}
