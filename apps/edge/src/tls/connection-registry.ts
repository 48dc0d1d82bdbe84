import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { PendingWrites } from '../sending/pending-writes.js';
import { Connection } from './connection.js';

/**
 * All open connections by the host they were opened for. A removal ends the connections of a host; a stop ends idle ones. One
 * registry for both listeners; plain connections belong to no host.
 */
export class ConnectionRegistry {
  readonly #handshaking = new Map<string, Socket>();
  readonly #open = new Set<Connection>();
  readonly #byHost = new Map<string, Set<Connection>>();
  #isDraining = false;

  /** @param writes of all connections */
  constructor(readonly writes: PendingWrites = new PendingWrites()) {}

  /** A TCP connection before its TLS handshake. */
  addHandshake(socket: Socket): void {
    const endpoint = endpointOf(socket);
    this.#handshaking.set(endpoint, socket);
    socket.on('close', () => {
      if (this.#handshaking.get(endpoint) === socket) this.#handshaking.delete(endpoint);
    });
  }

  /** The TCP connection below a TLS socket during its handshake. */
  underlying(socket: TLSSocket): Socket | undefined {
    return this.#handshaking.get(endpointOf(socket));
  }

  /** A connection of the plain port. */
  addPlain(socket: Socket): void {
    const connection = new Connection(socket, undefined, undefined, this.writes);
    this.#open.add(connection);
    socket.on('close', () => this.#forget(connection));
  }

  /** A connection after its handshake, for the host that the handshake named, if any. */
  addSecure(socket: TLSSocket, host: string | undefined): void {
    const endpoint = endpointOf(socket);
    const connection = new Connection(socket, host, this.#handshaking.get(endpoint), this.writes);
    this.#handshaking.delete(endpoint);
    this.#open.add(connection);
    if (host !== undefined) this.#connectionsOf(host).add(connection);
    socket.on('close', () => this.#forget(connection));
  }

  requestEnded(connection: Connection, nowMs: number): void {
    connection.requestEnded(nowMs);
    if (this.#isDraining && connection.isIdle && !connection.drainsAutomatically) connection.socket.destroySoon();
  }

  /** The hosts that connections are open for. */
  get hosts(): readonly string[] {
    return [...this.#byHost.keys()];
  }

  /** Ends all connections that were opened for these hosts, with the requests in progress: their traffic must stop now. */
  destroyHosts(hosts: readonly string[]): void {
    for (const host of hosts) {
      for (const connection of [...(this.#byHost.get(host) ?? [])]) connection.reset();
    }
  }

  /** Ends idle connections, and from now on each other one after its request. */
  drain(): void {
    this.#isDraining = true;
    for (const socket of [...this.#handshaking.values()]) socket.destroy();
    for (const { socket, isIdle, drainsAutomatically } of [...this.#open]) {
      if (isIdle && !drainsAutomatically) socket.destroy();
    }
  }

  destroyAll(): void {
    for (const { socket } of [...this.#open]) socket.destroy();
    for (const socket of [...this.#handshaking.values()]) socket.destroy();
  }

  #connectionsOf(host: string): Set<Connection> {
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

/** Identifies a connection of one listener; the same for a TLS socket and the TCP connection below it. */
function endpointOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
}
