import type { TLSSocket } from 'node:tls';
import type { Connection } from '../../tls/connection.js';
import { Exchange, type HeaderList, type SupportedHeader } from '../exchange.js';
import { http1Head } from '../response-head.js';
import type { FastPathRequest } from './fast-path-request.js';

/** Most pages and scripts leave in one write; what is longer leaves in slices. */
const LONGEST_WRITE = 64 * 1024;

/** A simple request, answered by writing to its connection. */
export class FastPathExchange extends Exchange {
  readonly protocol = 'http/1.1';
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
  readonly announcesBody = false;
  #persists: boolean;
  #isLast = false;
  #listener: ((isComplete: boolean) => void) | undefined;

  constructor(
    private readonly request: FastPathRequest,
    private readonly socket: TLSSocket,
    readonly connection: Connection,
    private readonly onEnded: (exchange: FastPathExchange) => void,
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

  header(name: SupportedHeader): string | undefined {
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

  protected override readonly longestWrite = LONGEST_WRITE;

  refuse(): void {
    this.connection.reset();
  }

  protected override endStalled(): void {
    this.connection.endStalled(true);
  }

  protected afterWrite(isTaken: boolean): void {
    if (this.#isLast || !isTaken) this.end(isTaken);
  }

  protected sendFirst(status: number, headers: HeaderList, slice: Buffer, isLast: boolean): void {
    const head = http1Head(status, headers, this.#persists, Date.now());
    // At once, since that is one write and one record; a copy is cheaper than two of each.
    this.sendNext(slice.length === 0 ? head : Buffer.concat([head, slice]), isLast);
  }

  protected sendNext(slice: Buffer, isLast: boolean): void {
    this.#isLast = isLast;
    this.socket.write(slice, this.onWritten);
  }
}
