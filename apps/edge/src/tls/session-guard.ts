import { constants, type ServerHttp2Session } from 'node:http2';
import type { Connection } from './connection.js';
import { endWhenIdle } from './end-when-idle.js';

export type SessionEnding = 'ping_flood' | 'settings_flood' | 'idle' | 'stalled';

/** Frames of one kind that a session may send within the window. Browsers send a PING in seconds, SETTINGS once. */
const MAX_FRAMES = 100;
const WINDOW_MS = 10_000;

/**
 * Ends HTTP/2 sessions that cost and ask for nothing. nghttp2 by itself ends those that reset streams in masses
 * (`streamResetBurst`) or send headers without end (its limit of CONTINUATION frames); it does answer every PING and SETTINGS
 * of a client that reads, lets one that drips a header hold its place for hours, and keeps what a client does not take.
 */
export function guardSession(
  session: ServerHttp2Session,
  connection: Connection,
  idleMs: number,
  onEnding: (reason: SessionEnding) => void,
): void {
  const end = (reason: SessionEnding) => {
    if (session.destroyed) return;
    onEnding(reason);
    const code = reason.endsWith('_flood') ? constants.NGHTTP2_ENHANCE_YOUR_CALM : constants.NGHTTP2_NO_ERROR;
    session.goaway(code);
    session.destroy(undefined, code);
  };
  session.on(
    'ping',
    limitRate(() => end('ping_flood')),
  );
  session.on(
    'remoteSettings',
    limitRate(() => end('settings_flood')),
  );
  session.setTimeout(0); // Node's own way
  session.once(
    'close',
    endWhenIdle(connection, idleMs, () => end('idle')),
  );
  connection.beforeStalledEnd(() => end('stalled'));
}

/** Counts calls in windows of time, and reacts to one too many. */
function limitRate(onExceeded: () => void): () => void {
  let windowBegan = performance.now();
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - windowBegan >= WINDOW_MS) [windowBegan, count] = [now, 0];
    count += 1;
    if (count > MAX_FRAMES) onExceeded();
  };
}
