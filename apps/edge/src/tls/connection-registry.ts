import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isWildcard } from '@pets/contracts/edge-feed';
import { PendingWrites } from '../sending/pending-writes.js';
import type { StoredRoute } from '../store/route-cache.js';
import { Connection } from './connection.js';
import { isLost } from './lost-connection.js';

/** How long a connection of HTTP/1 stays open for the next request, as its clients are told. */
export const KEEP_ALIVE_SECONDS = 5;

/** @returns undefined for an unknown host */
export type FindRoute = (host: string) => StoredRoute | undefined;

/** Time without traffic after a response. A second more than clients are told, so that their next request is not lost. */
const UNUSED_LIMIT_MS = 1_000 * (KEEP_ALIVE_SECONDS + 1);
const CHECK_INTERVAL_MS = 1_000;

/** A property of TLS sockets: the route whose certificate their handshake presented. */
const PRESENTED = Symbol('presented');

interface Presenting {
  [PRESENTED]?: StoredRoute;
}

/**
 * All open connections by the rows of the route table that answer for their host, or that would: its own, and the wildcard's
 * if that answers. The end of a row ends its connections; so does another row that takes its place, since the certificate of
 * a connection is that of its row. A stop ends idle ones. One registry for both listeners; plain connections belong to no host.
 */
export class ConnectionRegistry {
  readonly writes: PendingWrites;
  readonly #find: FindRoute;
  readonly #handshaking = new Map<string, Socket>();
  readonly #open = new Set<Connection>();
  readonly #byRow = new Map<string, Set<Connection>>();
  #isDraining = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param writes of all connections */
  constructor(find: FindRoute, writes: PendingWrites = new PendingWrites()) {
    this.#find = find;
    this.writes = writes;
  }

  /** Ends connections that are not used or lost, or whose clients take too little, from now on. */
  start(): void {
    this.writes.start();
    this.#timer ??= setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    this.writes.stop();
    clearInterval(this.#timer);
    this.#timer = undefined;
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

  /** A handshake presents the certificate of this route. */
  presented(socket: TLSSocket, route: StoredRoute): void {
    (socket as Presenting)[PRESENTED] = route;
  }

  /** A connection after its handshake, for the host that the handshake named, if any. */
  addSecure(socket: TLSSocket, host: string | undefined): void {
    const endpoint = endpointOf(socket);
    const connection = new Connection(socket, host, this.#handshaking.get(endpoint), this.writes);
    this.#handshaking.delete(endpoint);
    this.#open.add(connection);
    socket.on('close', () => this.#forget(connection));
    if (host === undefined) return;
    const found = this.#find(host);
    const presented = (socket as Presenting)[PRESENTED] ?? found;
    if (presented !== undefined) this.#assign(connection, host, presented);
    // The table may have changed during the handshake, whose code in Node still uses the socket: without it, Node crashes.
    if (!this.#follows(connection, host, found)) setImmediate(() => connection.reset());
  }

  requestEnded(connection: Connection, nowMs: number): void {
    connection.requestEnded(nowMs);
    if (this.#isDraining && connection.isIdle && !connection.drainsAutomatically) connection.socket.destroySoon();
  }

  /**
   * Rows have changed, and some of them are not served any more. Ends the connections that a stopped row answered, and those
   * whose host another row answers for now, with the requests in progress: their traffic must stop now.
   */
  rowsChanged(rows: readonly string[], stoppedRows: readonly string[]): void {
    for (const row of rows) {
      // All connections below a wildcard's row have it in common; those of another row have their host.
      const connections = isWildcard(row) ? undefined : this.#byRow.get(row);
      if (connections === undefined) continue;
      const found = this.#find(row);
      for (const connection of [...connections]) if (!this.#follows(connection, row, found)) connection.reset();
    }
    for (const row of stoppedRows) {
      for (const connection of [...(this.#byRow.get(row) ?? [])]) if (connection.row === row) connection.reset();
    }
  }

  /** After a replacement of the table: ends the connections of hosts that it does not serve, or by another row. */
  recheck(isServed: (route: StoredRoute['route']) => boolean): void {
    for (const connection of [...this.#open]) {
      const { host } = connection;
      if (host === undefined) continue;
      const found = this.#find(host);
      const isKept = found !== undefined && isServed(found.route) && this.#follows(connection, host, found);
      if (!isKept) connection.reset();
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
    for (const connection of [...this.#open]) connection.destroy();
    for (const socket of [...this.#handshaking.values()]) socket.destroy();
  }

  /**
   * Whether a connection may go on with the route that its host has now. It may with that of the same row; and when the host's
   * own row, which the wildcard of its organization stood in for, has a certificate now. Every connection with a host follows
   * a row, or ends: without one it would outlive a removal.
   */
  #follows(connection: Connection, host: string, found: StoredRoute | undefined): boolean {
    if (found === undefined) return false;
    if (connection.row === found.row) connection.isInterim = found.isInterim;
    else if (!connection.isInterim || found.route.certificateId === null) return false;
    else this.#assign(connection, host, found);
    return true;
  }

  #assign(connection: Connection, host: string, { row, isInterim }: StoredRoute): void {
    this.#unassign(connection);
    connection.row = row;
    connection.isInterim = isInterim;
    for (const key of row === host ? [host] : [host, row]) {
      const peers = this.#byRow.get(key);
      if (peers === undefined) this.#byRow.set(key, new Set([connection]));
      else peers.add(connection);
    }
  }

  #unassign(connection: Connection): void {
    for (const key of [connection.host, connection.row]) {
      const peers = key === undefined ? undefined : this.#byRow.get(key);
      peers?.delete(connection);
      if (key !== undefined && peers?.size === 0) this.#byRow.delete(key);
    }
  }

  /** Ends unused connections of HTTP/1, for sessions of HTTP/2 have a guard of their own, and lost ones of both. */
  #check(): void {
    const nowMs = performance.now();
    for (const connection of [...this.#open]) {
      const { socket, drainsAutomatically } = connection;
      if (isLost(socket)) connection.reset();
      else if (!drainsAutomatically && connection.isUnused(nowMs, UNUSED_LIMIT_MS)) socket.destroy();
    }
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    if (connection.waitingRequests > 0) connection.dropWaiting();
    this.#unassign(connection);
  }
}

/** Identifies a connection of one listener; the same for a TLS socket and the TCP connection below it. */
function endpointOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
}
