import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** On the sockets and sessions themselves: a WeakMap of what lives so shortly is work for the garbage collector. */
const KEY = Symbol('connection');

/**
 * A connection that requests may come on: of the TLS port once its handshake is complete, of the plain port from its
 * beginning. What lines about its requests say of it is asked once, since that costs system calls and stays the same.
 */
export class Connection {
  readonly client: string | null;
  /** `TLSv1.3`; null on the plain port. */
  readonly tls: string | null;
  /** HTTP/2 says goodbye by itself when its server closes. */
  readonly drainsItself: boolean;
  #requests = 0;
  #idleSinceMs = performance.now();

  /**
   * @param host the name of the handshake, as the route table spells it
   * @param underlying the TCP connection below a TLS socket
   */
  constructor(
    readonly socket: Socket,
    readonly host?: string,
    readonly underlying?: Socket,
  ) {
    this.client = socket.remoteAddress ?? null;
    this.tls = socket instanceof TLSSocket ? socket.getProtocol() : null;
    this.drainsItself = socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
    Reflect.set(socket, KEY, this);
  }

  get isIdle(): boolean {
    return this.#requests === 0;
  }

  /** Of both directions, since its beginning. */
  get bytesMoved(): number {
    return this.socket.bytesRead + this.socket.bytesWritten;
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
