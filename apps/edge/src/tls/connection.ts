import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** On a socket, so that it can be had through the proxy behind which a session hides its socket. */
const KEY = Symbol('connection');
const connections = new WeakMap<object, Connection>();

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
    connections.set(socket, this);
    Reflect.set(socket, KEY, this);
  }

  get isIdle(): boolean {
    return this.#requests === 0;
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
  return connections.get(carrier);
}

/** Lets requests of a session find what is known of its socket. */
export function tieSession(session: Http2Session): Connection | undefined {
  const connection: unknown = Reflect.get(session.socket, KEY);
  if (!(connection instanceof Connection)) return undefined;
  connections.set(session, connection);
  return connection;
}
