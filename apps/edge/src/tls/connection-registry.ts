import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { PendingWrites } from '../sending/pending-writes.js';
import { Connection } from './connection.js';

/** @returns the row of the route table that answers for a host; undefined for an unknown host */
export type FindRow = (host: string) => string | undefined;

/**
 * All open connections by the row of the route table that answered for their host. The end of a row ends its connections; a
 * stop ends idle ones. One registry for both listeners; plain connections belong to no host.
 */
export class ConnectionRegistry {
  readonly writes: PendingWrites;
  readonly #findRow: FindRow;
  readonly #handshaking = new Map<string, Socket>();
  readonly #open = new Set<Connection>();
  readonly #byRow = new Map<string, Set<Connection>>();
  #isDraining = false;

  /** @param writes of all connections */
  constructor(findRow: FindRow, writes: PendingWrites = new PendingWrites()) {
    this.#findRow = findRow;
    this.writes = writes;
  }

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
    socket.on('close', () => this.#forget(connection));
    this.#assignRow(connection);
  }

  requestEnded(connection: Connection, nowMs: number): void {
    connection.requestEnded(nowMs);
    if (this.#isDraining && connection.isIdle && !connection.drainsAutomatically) connection.socket.destroySoon();
  }

  /** Ends all connections that these rows answered, with the requests in progress: their traffic must stop now. */
  destroyRows(rows: readonly string[]): void {
    for (const row of rows) {
      for (const connection of [...(this.#byRow.get(row) ?? [])]) connection.reset();
    }
  }

  /** After a replacement of the table: ends the connections of hosts that it does not serve. */
  recheck(isServed: (host: string) => boolean): void {
    for (const connection of [...this.#open]) {
      if (connection.host === undefined) continue;
      this.#removeRow(connection);
      if (isServed(connection.host)) this.#assignRow(connection);
      else connection.reset();
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

  /** Every connection with a host has a row, or ends: without one it would outlive a removal. */
  #assignRow(connection: Connection): void {
    if (connection.host === undefined) return;
    const row = this.#findRow(connection.host);
    connection.row = row;
    if (row === undefined) {
      // The host was removed during the handshake, whose code in Node still uses the socket: without it, Node crashes.
      setImmediate(() => connection.reset());
      return;
    }
    const peers = this.#byRow.get(row);
    if (peers === undefined) this.#byRow.set(row, new Set([connection]));
    else peers.add(connection);
  }

  #removeRow(connection: Connection): void {
    const { row } = connection;
    if (row === undefined) return;
    const peers = this.#byRow.get(row);
    peers?.delete(connection);
    if (peers?.size === 0) this.#byRow.delete(row);
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    connection.dropWaiting();
    this.#removeRow(connection);
  }
}

/** Identifies a connection of one listener; the same for a TLS socket and the TCP connection below it. */
function endpointOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
}
