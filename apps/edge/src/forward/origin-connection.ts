import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import type { OriginSocket } from './connect-origin.js';

/** Servers close idle connections after 5 s (Node) to minutes; what they say in `Keep-Alive` counts instead. */
const KEEP_ALIVE_MS = 15_000;
/** Four times what the edge allows its visitors: an application may set many cookies. */
const MAX_HEAD_BYTES = 64 * 1024;

/** One connection of HTTP/1.1 to an application, which carries one request at a time. */
export class OriginConnection {
  readonly address: string;
  /** Undefined for a WebSocket, which has no use for it. */
  #client: Client | undefined;
  readonly #socket: Socket;
  readonly #tcp: Socket;
  #isUsed = false;

  /** @param onClosed called once, when it can carry no further request */
  constructor(Http1Client: typeof Client, origin: string, opened: OriginSocket, onClosed: () => void) {
    this.address = opened.address;
    this.#socket = opened.socket;
    this.#tcp = opened.tcp;
    let isTaken = false;
    this.#client = new Http1Client(origin, {
      // The client would connect again after the end of its connection; this one has no other.
      connect: (_options, callback) => {
        const error = isTaken || opened.socket.destroyed ? new Error('the connection was closed') : null;
        isTaken = true;
        // The client does not expect an answer in the same tick.
        queueMicrotask(() => (error === null ? callback(null, opened.socket) : callback(error, null)));
      },
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEAD_BYTES,
      // `ActiveForwards` has all limits of time.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    opened.socket.once('close', onClosed);
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Whether it has carried no request: nobody reads from it yet, so that its end would not be noticed. */
  get isUnused(): boolean {
    return !this.#isUsed;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#isUsed = true;
    this.#client?.dispatch(options, handler);
  }

  /** Makes it a connection whose bytes are not HTTP any more. */
  becameWebSocket(): void {
    this.#client = undefined;
  }

  /** Resets it: after a normal close, the kernel would still send what it has. */
  reset(): void {
    if (this.#tcp.destroyed) return;
    this.#tcp.resetAndDestroy();
    this.#socket.destroy();
  }

  /** Closes an idle connection. */
  close(): void {
    this.#socket.destroy();
  }
}
