import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { PendingWrites } from '../sending/pending-writes.js';
import { Connection } from './connection.js';

/**
 * Every open connection and the host it was opened for, so that a removal can end what is open and a stop can end what
 * is idle. One registry for both listeners; plain connections belong to no host.
 */
export class ConnectionRegistry {
  readonly #handshaking = new Map<string, Socket>();
  readonly #open = new Set<Connection>();
  readonly #byHost = new Map<string, Set<Connection>>();
  #isDraining = false;

  /** @param writes of all connections */
  constructor(readonly writes: PendingWrites = new PendingWrites()) {}

  /** A TCP connection that has yet to complete its handshake. */
  addHandshake(socket: Socket): void {
    const endpoint = endpointOf(socket);
    this.#handshaking.set(endpoint, socket);
    socket.on('close', () => {
      if (this.#handshaking.get(endpoint) === socket) this.#handshaking.delete(endpoint);
    });
  }

  /** The TCP connection below a TLS socket that is still in its handshake. */
  underlying(socket: TLSSocket): Socket | undefined {
    return this.#handshaking.get(endpointOf(socket));
  }

  /** A connection of the plain port. */
  addPlain(socket: Socket): void {
    const connection = new Connection(socket, undefined, undefined, this.writes);
    this.#open.add(connection);
    socket.on('close', () => this.#forget(connection));
  }

  /** A connection that has completed its handshake, for a host where it named one. */
  addSecure(socket: TLSSocket, host: string | undefined): void {
    const endpoint = endpointOf(socket);
    const connection = new Connection(socket, host, this.#handshaking.get(endpoint), this.writes);
    this.#handshaking.delete(endpoint);
    this.#open.add(connection);
    if (host !== undefined) this.#ofHost(host).add(connection);
    socket.on('close', () => this.#forget(connection));
  }

  requestEnded(connection: Connection, nowMs: number): void {
    connection.requestEnded(nowMs);
    if (this.#isDraining && connection.isIdle && !connection.drainsItself) connection.socket.destroySoon();
  }

  /** Ends whatever was opened for these hosts, requests under way included: traffic has stopped, not nearly so. */
  destroyHosts(hosts: readonly string[]): void {
    for (const host of hosts) {
      for (const connection of [...(this.#byHost.get(host) ?? [])]) connection.reset();
    }
  }

  /** Ends connections without a request under way, and from now on each one after its request. */
  drain(): void {
    this.#isDraining = true;
    for (const socket of [...this.#handshaking.values()]) socket.destroy();
    for (const { socket, isIdle, drainsItself } of [...this.#open]) {
      if (isIdle && !drainsItself) socket.destroy();
    }
  }

  destroyAll(): void {
    for (const { socket } of [...this.#open]) socket.destroy();
    for (const socket of [...this.#handshaking.values()]) socket.destroy();
  }

  #ofHost(host: string): Set<Connection> {
    const known = this.#byHost.get(host);
    if (known !== undefined) return known;
    const connections = new Set<Connection>();
    this.#byHost.set(host, connections);
    return connections;
  }

  #forget(connection: Connection): void {
    const { host } = connection;
    this.#open.delete(connection);
    connection.dropWaiting();
    if (host === undefined) return;
    const peers = this.#byHost.get(host);
    peers?.delete(connection);
    if (peers?.size === 0) this.#byHost.delete(host);
  }
}

/** Tells the connections of one listener apart. A TLS socket and the TCP connection below it have the same. */
function endpointOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
}
