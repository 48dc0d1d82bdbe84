import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends requests whose clients still send a body that nobody needs. To close a connection with bytes unread would reset it, and the
 * client could lose its answer (RFC 9112 §9.6). So they are read and dropped, within limits.
 */

/** How long a client may send what is dropped, in all and without a byte: the times of nginx. */
const LIMIT_MS = 30_000;
const SILENCE_MS = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Counts what is dropped. @param end called once, when it is too much or takes too long */
class Dropping {
  readonly #end: () => void;
  readonly #limit: NodeJS.Timeout;
  readonly #silence: NodeJS.Timeout;
  #bytes = 0;

  constructor(end: () => void) {
    this.#end = end;
    this.#limit = setTimeout(end, LIMIT_MS).unref();
    this.#silence = setTimeout(end, SILENCE_MS).unref();
  }

  readonly count = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) this.#end();
    else this.#silence.refresh();
  };

  readonly stop = (): void => {
    clearTimeout(this.#limit);
    clearTimeout(this.#silence);
  };
}

/** Reads the rest of a body after its answer, so that the connection can carry the next request. */
export function dropBody(request: IncomingMessage): void {
  const dropping = new Dropping(() => request.socket.destroy());
  request.on('data', dropping.count).once('end', dropping.stop).once('close', dropping.stop).resume();
}

const unparsed = new WeakSet<Socket>();

/**
 * Drops everything that a client sends from now on. Node must not parse it: it would keep an object for each request of a client
 * that reads no answer.
 */
export function dropInput(socket: Socket): void {
  if (unparsed.has(socket)) return;
  unparsed.add(socket);
  const dropping = new Dropping(() => socket.destroy());
  const drop = () => socket.removeAllListeners('data').on('data', dropping.count).once('close', dropping.stop);
  // Node's own listener starts a paused connection again; the new one of `data` would not, and takes Node's away.
  if (socket.isPaused()) socket.once('resume', drop).resume();
  else drop();
}

/** Closes a connection after its last answer, and drops what arrives until its client closes it as well. */
function closeLingering(socket: Socket): void {
  if (socket.destroyed) return;
  dropInput(socket);
  socket.end();
}

/** The last request with a body of each connection that closes. */
const lastRequests = new WeakMap<Socket, IncomingMessage>();

/** Makes Node close the connection of a request in that way, where its body has not arrived by then. */
export function lingerAfter(request: IncomingMessage): void {
  const { socket } = request;
  if (!lastRequests.has(socket)) {
    const closeAtOnce = socket.destroySoon.bind(socket);
    socket.destroySoon = () => (lastRequests.get(socket)?.complete === false ? closeLingering(socket) : closeAtOnce());
  }
  lastRequests.set(socket, request);
}
