import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

interface Connection {
  readonly host: string | undefined;
  /** HTTP/2 says goodbye by itself when its server closes. */
  readonly drainsItself: boolean;
  /** The TCP connection below a TLS socket. */
  readonly underlying: Socket | undefined;
  requests: number;
}

/**
 * Every open connection and the host it was opened for, so that a removal can end what is open and a stop can end what
 * is idle. One registry for both listeners; plain connections belong to no host.
 */
export class ConnectionRegistry {
  readonly #handshaking = new Map<string, Socket>();
  readonly #open = new Map<Socket, Connection>();
  readonly #byHost = new Map<string, Set<Socket>>();
  #isDraining = false;

  /** A TCP connection that has yet to complete its handshake. */
  addHandshake(socket: Socket): void {
    const endpoint = endpointOf(socket);
    this.#handshaking.set(endpoint, socket);
    socket.once('close', () => {
      if (this.#handshaking.get(endpoint) === socket) this.#handshaking.delete(endpoint);
    });
  }

  /** The TCP connection below a TLS socket that is still in its handshake. */
  underlying(socket: TLSSocket): Socket | undefined {
    return this.#handshaking.get(endpointOf(socket));
  }

  /** A connection that requests may come on. */
  add(socket: Socket, host?: string, drainsItself = false): void {
    const endpoint = endpointOf(socket);
    const underlying = this.#handshaking.get(endpoint);
    this.#handshaking.delete(endpoint);
    this.#open.set(socket, { host, drainsItself, underlying, requests: 0 });
    const peers = host === undefined ? undefined : (this.#byHost.get(host) ?? new Set());
    if (host !== undefined && peers !== undefined) this.#byHost.set(host, peers.add(socket));
    socket.once('close', () => {
      this.#open.delete(socket);
      peers?.delete(socket);
      if (host !== undefined && peers?.size === 0 && this.#byHost.get(host) === peers) this.#byHost.delete(host);
    });
  }

  requestStarted(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.requests += 1;
  }

  requestEnded(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests -= 1;
    if (this.#isDraining && connection.requests <= 0 && !connection.drainsItself) socket.destroySoon();
  }

  /**
   * Ends whatever was opened for these hosts, requests under way included: traffic has stopped, not nearly so. By a
   * reset, since after a mere close the kernel would go on to send what a slow client has yet to take: megabytes.
   */
  destroyHosts(hosts: readonly string[]): void {
    for (const host of hosts) {
      for (const socket of [...(this.#byHost.get(host) ?? [])]) {
        this.#open.get(socket)?.underlying?.resetAndDestroy();
        socket.destroy();
      }
    }
  }

  /** Ends connections without a request under way, and from now on each one after its request. */
  drain(): void {
    this.#isDraining = true;
    for (const socket of [...this.#handshaking.values()]) socket.destroy();
    for (const [socket, { requests, drainsItself }] of [...this.#open]) {
      if (requests <= 0 && !drainsItself) socket.destroy();
    }
  }

  destroyAll(): void {
    for (const socket of [...this.#open.keys(), ...this.#handshaking.values()]) socket.destroy();
  }
}

function endpointOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''} ${socket.localPort ?? ''}`;
}
