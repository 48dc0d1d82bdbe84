import { constants, type ServerHttp2Session } from 'node:http2';
import type { Connection } from './connection.js';

export type SessionEnding = 'ping_flood' | 'settings_flood' | 'idle';

/** Frames of one kind that a session may send within the window. Browsers send a PING in seconds, SETTINGS once. */
const MAX_FRAMES = 100;
const WINDOW_MS = 10_000;

/**
 * Ends HTTP/2 sessions that cost and ask for nothing. nghttp2 by itself ends those that reset streams in masses
 * (`streamResetBurst`), send headers without end (its limit of CONTINUATION frames) or do not read their answers; it
 * does answer every PING and SETTINGS of a client that reads, and lets one that drips a header hold its place for hours.
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
    const code = reason === 'idle' ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_ENHANCE_YOUR_CALM;
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
  endWhenIdle(session, connection, idleMs, () => end('idle'));
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

/** Idle is a session without a request under way, whatever it sends meanwhile. Looked at now and then, not at each request. */
function endWhenIdle(session: ServerHttp2Session, connection: Connection, idleMs: number, onIdle: () => void): void {
  const look = () => {
    const leftMs = idleMs - connection.idleMs(performance.now());
    if (leftMs <= 0) onIdle();
    else timer = setTimeout(look, leftMs);
  };
  let timer = setTimeout(look, idleMs);
  session.once('close', () => clearTimeout(timer));
}
