import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { PendingWrites, type SendingConnection } from '../sending/pending-writes.js';
import { sendQueueKey } from '../sending/tcp-send-queues.js';
import { addressGroup } from './address-group.js';

/** On the sockets and sessions themselves: a WeakMap of what lives so shortly is work for the garbage collector. */
const KEY = Symbol('connection');

/**
 * A connection that requests may come on: of the TLS port once its handshake is complete, of the plain port from its
 * beginning. What lines about its requests say of it is asked once, since that costs system calls and stays the same.
 */
export class Connection implements SendingConnection {
  readonly client: string | null;
  /** `TLSv1.3`; null on the plain port. */
  readonly tls: string | null;
  /** HTTP/2 says goodbye by itself when its server closes. */
  readonly drainsItself: boolean;
  readonly addressGroup: string;
  heldBytes = 0;
  waitingBytes = 0;
  stalledReplies = 0;
  waitingSinceMs: number | undefined;
  completedFromMs = 0;
  #waiting: (() => void)[] = [];
  #requests = 0;
  #idleSinceMs = performance.now();
  #sayGoodbye: (() => void) | undefined;

  /**
   * @param host the name of the handshake, as the route table spells it
   * @param underlying the TCP connection below a TLS socket
   */
  constructor(
    readonly socket: Socket,
    readonly host?: string,
    readonly underlying?: Socket,
    readonly writes: PendingWrites = new PendingWrites(),
  ) {
    this.client = socket.remoteAddress ?? null;
    this.addressGroup = addressGroup(socket.remoteAddress ?? '');
    this.tls = socket instanceof TLSSocket ? socket.getProtocol() : null;
    this.drainsItself = socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
    Reflect.set(socket, KEY, this);
  }

  get isIdle(): boolean {
    return this.#requests === 0;
  }

  get openRequests(): number {
    return this.#requests;
  }

  get sendQueueKey(): string | undefined {
    return sendQueueKey(this.socket);
  }

  /** Given to the kernel, or about to be. */
  get writtenBytes(): number {
    return (this.underlying ?? this.socket).bytesWritten;
  }

  get waitingRequests(): number {
    return this.#waiting.length;
  }

  /** Of requests that wait until others have been answered. @returns false where there is no room for it */
  wait(begin: () => void): boolean {
    if (!this.writes.beginWaiting(this)) return false;
    this.#waiting.push(begin);
    return true;
  }

  nextWaiting(): (() => void) | undefined {
    const next = this.#waiting.shift();
    if (next !== undefined) this.writes.endWaiting(this);
    return next;
  }

  /** Nobody waits any more: the connection has gone, or ends with the answer that it is being given. */
  dropWaiting(): void {
    this.#waiting = [];
    this.writes.endWaiting(this, this.waitingBytes);
  }

  /** How its end is announced to a client that still reads. */
  beforeStalledEnd(sayGoodbye: () => void): void {
    this.#sayGoodbye = sayGoodbye;
  }

  endStalled(isStuck: boolean): void {
    this.#sayGoodbye?.();
    if (isStuck || this.#sayGoodbye === undefined) this.reset();
  }

  /** Ends it at once: after a mere close the kernel would go on to send what a slow client has yet to take, megabytes. */
  reset(): void {
    const tcp = this.underlying ?? (this.socket instanceof TLSSocket ? undefined : this.socket);
    tcp?.resetAndDestroy();
    this.socket.destroy();
  }

  /** How long no request has been under way; 0 while one is. */
  idleMs(nowMs: number): number {
    return this.isIdle ? nowMs - this.#idleSinceMs : 0;
  }

  requestStarted(): void {
    this.#requests += 1;
  }

  requestEnded(nowMs: number): void {
    this.#requests -= 1;
    this.#idleSinceMs = nowMs;
  }
}

/** What is known of a socket, or of a session that was tied to its own. */
export function connectionOf(carrier: Socket | Http2Session): Connection | undefined {
  const connection: unknown = Reflect.get(carrier, KEY);
  return connection instanceof Connection ? connection : undefined;
}

/** Lets requests of a session find what is known of its socket, which the session hides behind a proxy. */
export function tieSession(session: Http2Session): Connection | undefined {
  const connection = connectionOf(session.socket);
  if (connection !== undefined) Reflect.set(session, KEY, connection);
  return connection;
}
