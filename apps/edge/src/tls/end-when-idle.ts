import type { Connection } from './connection.js';

export interface Patience {
  /** Without a request under way, whatever else the client sends. */
  readonly idleMs: number;
  /** With one, while not a byte moves. */
  readonly stalledMs: number;
}

export type Impatience = 'idle' | 'stalled';

/**
 * Tells, once, when a connection has kept its place for too long. It looks now and then: a timer that is set back whenever
 * something moves, as Node's own are, costs each request its share.
 * @returns what ends the looking
 */
export function endWhenIdle(
  connection: Connection,
  { idleMs, stalledMs }: Patience,
  onEnding: (reason: Impatience) => void,
): () => void {
  let bytes = connection.bytesMoved;
  let movedAtMs = performance.now();
  const look = () => {
    const nowMs = performance.now();
    if (connection.isIdle || connection.bytesMoved !== bytes) movedAtMs = nowMs;
    bytes = connection.bytesMoved;
    const idleForMs = connection.idleMs(nowMs);
    if (idleForMs >= idleMs) onEnding('idle');
    else if (nowMs - movedAtMs >= stalledMs) onEnding('stalled');
    else timer = setTimeout(look, idleMs - idleForMs);
  };
  let timer = setTimeout(look, idleMs);
  return () => clearTimeout(timer);
}
