import type { Client } from 'undici';
import { connectOrigin, type ConnectDeps, type OriginPlace, type TlsSession } from './connect-origin.js';
import { loadUndici } from './load-undici.js';
import { OriginConnection } from './origin-connection.js';
import { OriginError } from './origin-error.js';

/** Requests of one process that wait for a connection to the same application. */
const MAX_WAITING = 256;

/** A connection that is being opened fails first, with its own reason. */
const EXPIRY_GRACE_MS = 1_000;

interface Waiter {
  readonly grant: (connection: OriginConnection) => void;
  readonly fail: (error: OriginError) => void;
  readonly sinceMs: number;
}

/**
 * The connections of one process to one application. A request has one for itself. Requests beyond the limit wait, for as long as
 * a connection may take, in the order of their arrival.
 */
export class OriginPool {
  readonly #place: OriginPlace;
  readonly #deps: ConnectDeps;
  readonly #maxConnections: number;
  readonly #idle: OriginConnection[] = [];
  readonly #waiting = new Set<Waiter>();
  readonly #givenAway = new WeakSet<OriginConnection>();
  readonly #resumption: TlsSession = {};
  #open = 0;
  #opening = 0;
  #isRetired = false;

  constructor(place: OriginPlace, maxConnections: number, deps: ConnectDeps) {
    this.#place = place;
    this.#maxConnections = maxConnections;
    this.#deps = deps;
  }

  /** Connections, those that are being opened included. */
  get connections(): number {
    return this.#open;
  }

  get isUsed(): boolean {
    return this.#open > this.#idle.length || this.#waiting.size > 0;
  }

  /** @returns a connection that was idle, for a request that must not wait for a promise; undefined without one */
  takeIdle(): OriginConnection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop())
      if (!connection.isClosed) return connection;
    return undefined;
  }

  /**
   * Waits for a connection. The caller must `release` it.
   * @param onCancel gets a function that ends the wait
   * @throws OriginError
   */
  acquire(onCancel: (cancel: () => void) => void): Promise<OriginConnection> {
    const idle = this.takeIdle();
    if (idle !== undefined) return Promise.resolve(idle);
    if (this.#waiting.size >= MAX_WAITING)
      return Promise.reject(
        new OriginError('limit', `${MAX_WAITING} requests wait for a connection to the application`),
      );
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { grant: resolve, fail: reject, sinceMs: performance.now() };
      this.#waiting.add(waiter);
      onCancel(() => {
        if (this.#waiting.delete(waiter)) reject(new OriginError('limit', 'cancelled'));
      });
      this.#openForWaiting();
    });
  }

  /** Gives back a connection, which the next request gets if it is still open. */
  release(connection: OriginConnection): void {
    // A request that takes it finds out whether it is still open.
    if (this.#waiting.size === 0 && !this.#isRetired && !connection.isUnused) return void this.#idle.push(connection);
    // The client closes a connection that cannot carry another request right after it has reported the end of this one.
    queueMicrotask(() => {
      if (connection.isClosed) return;
      const [next] = this.#waiting;
      if (next !== undefined) {
        this.#waiting.delete(next);
        next.grant(connection);
      } else if (this.#isRetired || connection.isUnused) connection.close();
      else this.#idle.push(connection);
    });
  }

  /** Stops counting a connection that has become a WebSocket: those are limited by the places of the process. */
  giveAway(connection: OriginConnection): void {
    this.#givenAway.add(connection);
    connection.becameWebSocket();
    this.#open -= 1;
    this.#openForWaiting();
  }

  /** Fails requests that have waited for as long as a connection may take. */
  expireWaiting(nowMs: number): void {
    for (const waiter of this.#waiting) {
      if (nowMs - waiter.sinceMs < this.#place.connectMs + EXPIRY_GRACE_MS) return;
      this.#waiting.delete(waiter);
      waiter.fail(
        new OriginError(
          'limit',
          `all ${this.#maxConnections} connections of this process to the application are in use`,
        ),
      );
    }
  }

  /** Closes idle connections, and each other one after its request. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  #openForWaiting(): void {
    while (this.#waiting.size > this.#opening && this.#open < this.#maxConnections) {
      this.#open += 1;
      this.#opening += 1;
      void this.#connect();
    }
  }

  async #connect(): Promise<void> {
    try {
      const { Client } = await loadUndici();
      const connection = await this.#openConnection(Client);
      this.#opening -= 1;
      this.release(connection);
    } catch (error) {
      this.#opening -= 1;
      this.#open -= 1;
      const [first] = this.#waiting;
      if (first === undefined) return;
      this.#waiting.delete(first);
      first.fail(error instanceof OriginError ? error : new OriginError('connection', String(error)));
      this.#openForWaiting();
    }
  }

  async #openConnection(Http1Client: typeof Client): Promise<OriginConnection> {
    const { host, port, isTls } = this.#place;
    const opened = await connectOrigin(this.#place, this.#deps, this.#resumption);
    const origin = `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const connection = new OriginConnection(Http1Client, origin, opened, () => {
      if (this.#givenAway.has(connection)) return;
      this.#open -= 1;
      const at = this.#idle.indexOf(connection);
      if (at !== -1) this.#idle.splice(at, 1);
      this.#openForWaiting();
    });
    return connection;
  }
}
