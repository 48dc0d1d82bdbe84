import type { TLSSocket } from 'node:tls';
import type { Connection } from '../../tls/connection.js';
import { endWhenIdle } from '../../tls/end-when-idle.js';
import { FastPathExchange } from './fast-path-exchange.js';
import { http1Limits } from '../limits.js';
import { parseSimpleRequest } from './fast-path-request.js';

/** Longer heads are not simple. */
const LONGEST_HEAD = 8 * 1024;

export interface DirectConnectionDeps {
  readonly answer: (exchange: FastPathExchange) => void;
  /** Takes over a connection from which nothing is being read any more. */
  readonly handOver: (socket: TLSSocket) => void;
  /** Is to end the connection. */
  readonly onError: (error: Error, socket: TLSSocket) => void;
}

/**
 * A connection of HTTP/1.1 on which simple requests are answered without Node's HTTP server, which would add a third to
 * their cost. With the first request that is not simple the connection is handed over to it for good, with that request's
 * bytes, and all limits that hold there.
 */
export class FastPathConnection {
  #current: FastPathExchange | undefined;
  /** What has arrived while an answer was under way. */
  readonly #held: Buffer[] = [];
  readonly #stopLooking: () => void;

  constructor(
    private readonly socket: TLSSocket,
    private readonly connection: Connection,
    private readonly deps: DirectConnectionDeps,
  ) {
    this.#stopLooking = endWhenIdle(connection, http1Limits.keepAliveTimeout, () => socket.destroy());
    socket.on('data', this.#onData);
    socket.on('close', this.#onClose);
    socket.on('error', this.#onError);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#current === undefined) {
      this.#take(chunk);
      return;
    }
    this.#held.push(chunk);
    this.socket.pause();
  };

  #take(chunk: Buffer): void {
    if (!this.socket.writable) return; // the last answer has been given
    const isShort = chunk.length <= LONGEST_HEAD;
    const request = isShort ? parseSimpleRequest(chunk.toString('latin1')) : undefined;
    if (request === undefined) {
      this.#handOver(chunk);
      return;
    }
    const exchange = new FastPathExchange(request, this.socket, this.connection, this.#onEnded);
    this.#current = exchange;
    this.deps.answer(exchange);
  }

  readonly #onEnded = ({ persists }: FastPathExchange): void => {
    const { socket } = this;
    this.#current = undefined;
    if (!persists) socket.destroySoon();
    if (!socket.writable || this.#held.length === 0) return;
    this.#take(Buffer.concat(this.#held.splice(0)));
    socket.resume();
  };

  readonly #onError = (error: Error): void => this.deps.onError(error, this.socket);

  readonly #onClose = (): void => {
    this.#stopLooking();
    this.#current?.end(false);
  };

  #handOver(chunk: Buffer): void {
    const { socket, deps } = this;
    this.#stopLooking();
    socket.off('data', this.#onData);
    socket.off('close', this.#onClose);
    socket.off('error', this.#onError);
    deps.handOver(socket);
    socket.emit('data', chunk);
  }
}
