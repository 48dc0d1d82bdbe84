import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends requests whose clients still send a body that nobody needs. To close a connection with bytes unread would reset it, and the
 * client could lose its answer (RFC 9112 §9.6). So they are read and dropped, within limits.
 */

/** How long a client that has its answer may still send, in all and without a byte: the times of nginx. */
const LIMIT_MS = 30_000;
const SILENCE_MS = 5_000;
/** More than this ends the connection at any time. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Drops the rest of a body whose answer is written. Once it has come, the connection can carry the next request. */
export function dropBody(request: IncomingMessage, response: ServerResponse): void {
  const end = () => request.socket.destroy();
  const timers: NodeJS.Timeout[] = [];
  const startTimers = () => {
    if (!request.complete) timers.push(setTimeout(end, SILENCE_MS).unref(), setTimeout(end, LIMIT_MS).unref());
  };
  const stop = () => timers.forEach(clearTimeout);
  const count = countUpTo(MAX_BYTES, end);
  request.on('data', (chunk: Buffer) => {
    count(chunk);
    timers[0]?.refresh();
  });
  request.once('end', stop).once('close', stop).resume();
  if (response.writableFinished) startTimers();
  else response.once('finish', startTimers);
}

const unparsed = new WeakSet<Socket>();

/**
 * Drops everything that a client sends from now on. Node must not parse it: it would keep an object for each request of a client
 * that reads no answer.
 */
export function dropInput(socket: Socket): void {
  if (unparsed.has(socket)) return;
  unparsed.add(socket);
  const count = countUpTo(MAX_BYTES, () => socket.destroy());
  const drop = () => void socket.removeAllListeners('data').on('data', count);
  // Node's own listener starts a paused connection again; the new one of `data` would not, and takes Node's away.
  if (socket.isPaused()) socket.once('resume', drop).resume();
  else drop();
}

/** Makes Node close the connection of a request so that its client gets the answer, if its body has not arrived by then. */
export function lingerAfter(request: IncomingMessage): void {
  const { socket } = request;
  if (!lastRequests.has(socket)) {
    const closeAtOnce = socket.destroySoon.bind(socket);
    socket.destroySoon = () => (lastRequests.get(socket)?.complete === false ? closeLingering(socket) : closeAtOnce());
  }
  lastRequests.set(socket, request);
}

/** The last request with a body of each connection that closes. */
const lastRequests = new WeakMap<Socket, IncomingMessage>();

/** Says that nothing follows, and drops what arrives until the client closes the connection as well. */
function closeLingering(socket: Socket): void {
  if (socket.destroyed) return;
  const end = () => void socket.destroy();
  const limit = setTimeout(end, LIMIT_MS).unref();
  socket.setTimeout(SILENCE_MS, end).once('close', () => clearTimeout(limit));
  dropInput(socket);
  socket.end();
}

function countUpTo(most: number, onMore: () => void): (chunk: Buffer) => void {
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    if (bytes > most) onMore();
  };
}
