import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Connection } from '../tls/connection.js';
import { counted, Exchange, type HeaderList, type HeardHeader } from './exchange.js';
import { http1Head } from './response-head.js';
import type { SimpleRequest } from './simple-request.js';

/** A simple request, answered by writing to its connection. */
export class DirectExchange extends Exchange {
  readonly protocol = 'http/1.1';
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
  readonly announcesBody = false;
  #persists: boolean;
  #listener: ((isComplete: boolean) => void) | undefined;

  constructor(
    private readonly request: SimpleRequest,
    private readonly socket: TLSSocket,
    readonly connection: Connection,
    private readonly onEnded: (exchange: DirectExchange) => void,
  ) {
    super();
    this.method = request.method;
    this.target = request.target;
    this.hosts = [request.host];
    this.#persists = request.persists;
  }

  /** Whether another request may follow. */
  get persists(): boolean {
    return this.#persists;
  }

  get isGone(): boolean {
    return !this.socket.writable;
  }

  header(name: HeardHeader): string | undefined {
    return this.request.headers.get(name);
  }

  endConnection(): void {
    this.#persists = false;
  }

  breakOff(): void {
    this.socket.destroy();
  }

  whenEnded(listener: (isComplete: boolean) => void): void {
    this.#listener = listener;
  }

  /** Tells whoever wants to know that it has ended, once. */
  end(isComplete: boolean): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    this.#listener = undefined;
    listener(isComplete);
    this.onEnded(this);
  }

  protected send(status: number, headers: HeaderList, body: Buffer): void {
    const { socket } = this;
    const head = this.#head(status, headers);
    // At once, since that is one write and one record; a copy is cheaper than two of each.
    socket.write(body.length === 0 ? head : Buffer.concat([head, body]), this.#onWritten);
  }

  protected async pour(status: number, headers: HeaderList, content: Readable, bytes: number): Promise<void> {
    const { socket } = this;
    socket.write(this.#head(status, headers));
    let left = bytes;
    for await (const chunk of counted(content, bytes)) {
      left -= chunk.length;
      const hasRoom = socket.write(chunk, left === 0 ? this.#onWritten : undefined);
      if (!hasRoom) await untilDrained(socket);
    }
  }

  readonly #onWritten = (error?: Error | null): void => this.end(error === undefined || error === null);

  #head(status: number, headers: HeaderList): Buffer {
    return http1Head(status, headers, this.#persists, Date.now());
  }
}

/** @throws Error when the connection has gone */
function untilDrained(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDrain = () => {
      socket.off('close', onClose);
      resolve();
    };
    const onClose = () => {
      socket.off('drain', onDrain);
      reject(new Error('the client has gone'));
    };
    if (!socket.writable) return onClose();
    socket.once('drain', onDrain);
    socket.once('close', onClose);
  });
}
