import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { PendingWrites, type SendingConnection } from '../sending/pending-writes.js';
import { sendQueueKey } from '../sending/tcp-send-queues.js';
import { clientAddressOf, clientGroupOf } from './client-address.js';

/** A property of sockets and sessions: a WeakMap with many short-lived keys is expensive for the garbage collector. */
const KEY = Symbol('connection');

/** Not by `Reflect`, which V8 does not optimize. */
interface Carrier {
  [KEY]?: Connection;
}

/** The part of a line of the access log that the next line about the same connection can have in common with it. */
interface LoggedFields {
  readonly protocol: string;
  readonly host: string | undefined;
  readonly userAgent: string | undefined;
  readonly text: string;
}

/**
 * A connection that can carry requests: on the TLS port after its handshake, on the plain port from the start. The fields
 * that the access log needs are read once, because that costs system calls and they do not change.
 */
export class Connection implements SendingConnection {
  readonly client: string | null;
  /** `TLSv1.3`; null on the plain port. */
  readonly tls: string | null;
  /** Node sends GOAWAY on HTTP/2 connections when the server closes. */
  readonly drainsAutomatically: boolean;
  readonly addressGroup: string;
  heldBytes = 0;
  waitingBytes = 0;
  stalledReplies = 0;
  waitingSinceMs: number | undefined;
  latestCompletedStartMs = 0;
  /** Here for the same reason as `KEY`. */
  lastLogged: LoggedFields | undefined;
  /** The row of the route table that answers for the host. */
  row: string | undefined;
  /** Whether that is a wildcard's, until the host's own row has a certificate. */
  isInterim = false;
  /** Signatures of links that were verified for its requests. */
  linkChecks = 0;
  #waiting: (() => void)[] = [];
  #requests = 0;
  #idleSinceMs = performance.now();
  #receivedBytes = 0;
  #hasAnswered = false;
  #announceEnd: (() => void) | undefined;
  /** The first of what is attached. HTTP/1 has one only, and a set would take as long as the rest. */
  #attached: (() => void) | undefined;
  #moreAttached: Set<() => void> | undefined;

  /**
   * @param host the name of the handshake, normalized
   * @param underlying the TCP connection below a TLS socket
   */
  constructor(
    readonly socket: Socket,
    readonly host?: string,
    readonly underlying?: Socket,
    readonly writes: PendingWrites = new PendingWrites(),
  ) {
    const client = clientAddressOf(underlying ?? socket);
    this.client = client === '' ? null : client;
    this.addressGroup = clientGroupOf(underlying ?? socket);
    this.tls = socket instanceof TLSSocket ? socket.getProtocol() : null;
    this.drainsAutomatically = socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
    (socket as Carrier)[KEY] = this;
    if (underlying !== undefined) (underlying as Carrier)[KEY] = this;
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

  /** Bytes passed to the kernel or about to be. */
  get writtenBytes(): number {
    return (this.underlying ?? this.socket).bytesWritten;
  }

  get waitingRequests(): number {
    return this.#waiting.length;
  }

  /** Queues a request until others of the connection have ended. @returns false when there is no memory for it */
  wait(start: () => void): boolean {
    if (!this.writes.beginWaiting(this)) return false;
    this.#waiting.push(start);
    return true;
  }

  nextWaiting(): (() => void) | undefined {
    const next = this.#waiting.shift();
    if (next !== undefined) this.writes.endWaiting(this);
    return next;
  }

  /** Drops all queued requests: the connection was closed, or ends with the response in progress. */
  dropWaiting(): void {
    this.#waiting = [];
    this.writes.endWaiting(this, this.waitingBytes);
  }

  /** Sets how to announce the end of the connection to a client that still reads. */
  beforeStalledEnd(announceEnd: () => void): void {
    this.#announceEnd = announceEnd;
  }

  endStalled(isStuck: boolean): void {
    this.#announceEnd?.();
    if (isStuck || this.#announceEnd === undefined) this.reset();
  }

  /** Calls back when the edge ends this connection, in the same tick: what it carries elsewhere must end as well. */
  attach(onEnd: () => void): void {
    if (this.#attached === undefined) this.#attached = onEnd;
    else (this.#moreAttached ??= new Set()).add(onEnd);
  }

  detach(onEnd: () => void): void {
    if (this.#attached === onEnd) this.#attached = undefined;
    else this.#moreAttached?.delete(onEnd);
  }

  /** Closes the connection. The kernel still sends what it has. */
  destroy(): void {
    this.#endAttached();
    this.socket.destroy();
  }

  /** Resets the connection, as `resetSocket` does. */
  reset(): void {
    this.#endAttached();
    const tcp = this.underlying ?? (this.socket instanceof TLSSocket ? undefined : this.socket);
    if (tcp !== undefined) resetSocket(tcp);
    this.socket.destroy();
  }

  /** Time since the last request ended; 0 while one is in progress. */
  idleMs(nowMs: number): number {
    return this.isIdle ? nowMs - this.#idleSinceMs : 0;
  }

  /**
   * Whether a connection of HTTP/1 has been without traffic after a response for at least this time. Traffic counts from the
   * call that notices it.
   */
  isUnused(nowMs: number, limitMs: number): boolean {
    const { bytesRead } = this.socket;
    const isActive = !this.isIdle || bytesRead !== this.#receivedBytes;
    this.#receivedBytes = bytesRead;
    if (isActive) this.#idleSinceMs = nowMs;
    return this.#hasAnswered && nowMs - this.#idleSinceMs >= limitMs;
  }

  requestStarted(): void {
    this.#requests += 1;
  }

  requestEnded(nowMs: number): void {
    this.#requests -= 1;
    this.#hasAnswered = true;
    this.#idleSinceMs = nowMs;
  }

  #endAttached(): void {
    const attached = [this.#attached, ...(this.#moreAttached ?? [])];
    this.#attached = undefined;
    this.#moreAttached = undefined;
    for (const onEnd of attached) onEnd?.();
  }
}

/**
 * Resets a TCP connection. After a normal close, the kernel would continue to send megabytes to a slow client.
 *
 * One whose end is on its way is closed normally: libuv refuses to reset it (`uv_tcp_close_reset`, EINVAL), and Node would then
 * keep the socket, without a `close` event, for as long as the process lives.
 */
export function resetSocket(tcp: Socket): void {
  const outer = connectionOf(tcp)?.socket ?? tcp;
  const isEnding = outer.writableEnded && !outer.writableFinished && outer.writableLength === 0;
  if (isEnding) outer.destroy();
  else tcp.resetAndDestroy();
}

/** The connection of a socket, of the TCP socket below it, or of a session that `bindSession` has bound to its socket. */
export function connectionOf(carrier: Socket | Http2Session): Connection | undefined {
  return (carrier as Carrier)[KEY];
}

/** Makes the connection of a session's socket available at the session, which hides the socket behind a proxy. */
export function bindSession(session: Http2Session): Connection | undefined {
  const connection = connectionOf(session.socket);
  if (connection !== undefined) (session as Carrier)[KEY] = connection;
  return connection;
}
