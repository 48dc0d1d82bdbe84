import { constants, type ServerHttp2Session } from 'node:http2';
import type { SessionEnding } from '../metrics/edge-metrics.js';
import type { Connection } from './connection.js';

/** Frames of one kind that a session may send within the window. Browsers send a PING every few seconds, SETTINGS once. */
const MAX_FRAMES = 100;
const WINDOW_MS = 10_000;

/**
 * Ends HTTP/2 sessions that use resources without requests. nghttp2 already ends those that reset many streams
 * (`streamResetBurst`) or send endless headers (its limit of CONTINUATION frames). It answers every PING and SETTINGS,
 * though, lets a client that sends a header byte by byte stay open for hours, and keeps data that a client does not read.
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
  const onPing = limitRate(() => end('ping_flood'));
  const onSettings = limitRate(() => end('settings_flood'));
  session.on('ping', onPing);
  session.on('remoteSettings', onSettings);
  session.setTimeout(0); // `endWhenIdle` replaces Node's timer
  const stopWatching = endWhenIdle(connection, idleMs, () => end('idle'));
  session.once('close', stopWatching);
  connection.beforeStalledEnd(() => end('stalled'));
}

/** Counts calls in time windows; `onExceeded` runs at each call over the limit. */
function limitRate(onExceeded: () => void): () => void {
  let windowStartMs = performance.now();
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - windowStartMs >= WINDOW_MS) {
      windowStartMs = now;
      count = 0;
    }
    count += 1;
    if (count > MAX_FRAMES) onExceeded();
  };
}

/**
 * Calls `onIdle` once when no request of a connection was in progress for `idleMs`, whatever else the client sends. It
 * checks from time to time, because a timer that every frame resets, as Node's are, adds cost to every request.
 * `sending/pending-writes.ts` watches responses that a client does not read.
 * @returns stops watching
 */
function endWhenIdle(connection: Connection, idleMs: number, onIdle: () => void): () => void {
  const check = () => {
    const idleForMs = connection.idleMs(performance.now());
    if (idleForMs >= idleMs) onIdle();
    else timer = setTimeout(check, idleMs - idleForMs);
  };
  let timer = setTimeout(check, idleMs);
  return () => clearTimeout(timer);
}
