import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { FairScheduler } from '../fairness/fair-scheduler.js';
import { KeyedRateLimiter } from '../fairness/keyed-rate-limiter.js';
import { clientGroupOf } from './client-address.js';
import { resetSocket } from './connection.js';

/** How long a handshake may take, and the header of a load balancer before it. */
export const HANDSHAKE_TIMEOUT_MS = 5_000;

/** Handshakes of one address that start per tick of the event loop. A handshake takes half a millisecond. */
const HANDSHAKES_PER_TICK = 1;

/**
 * Limits how many TLS handshakes of one address start per second and per tick of the event loop. A handshake is the most
 * expensive operation that a stranger can ask for.
 * @param perSecond 0 for no limit per second
 * @param onRefused called for a connection that would wait for longer than a handshake may take; it is reset
 */
export function throttleHandshakes(server: Http2SecureServer, perSecond: number, onRefused: () => void): void {
  const startHandshake = takeOverHandshakes(server);
  const isGone = ({ destroyed }: Socket) => destroyed;
  const scheduler = new FairScheduler<string, Socket>({ perTick: HANDSHAKES_PER_TICK, start: startHandshake, isGone });
  const schedule = (socket: Socket) => scheduler.add(clientGroupOf(socket), socket);
  if (perSecond === 0) {
    server.on('connection', schedule);
    return;
  }
  const limiter = new KeyedRateLimiter<string, Socket>({
    perSecond,
    maxWaitMs: HANDSHAKE_TIMEOUT_MS,
    start: schedule,
    isGone,
  });
  server.on('connection', (socket: Socket) => {
    if (limiter.add(clientGroupOf(socket), socket)) return;
    onRefused();
    resetSocket(socket);
  });
}

/**
 * Stops Node from starting the TLS handshake of each new connection.
 * @returns starts the handshake of one connection
 */
export function takeOverHandshakes(server: Http2SecureServer): (socket: Socket) => void {
  const startHandshake = onlyListener(server, 'connection');
  server.off('connection', startHandshake);
  return (socket) => void Reflect.apply(startHandshake, server, [socket]);
}

/**
 * The listener that Node has registered at a new HTTP/2 server. Node has no public API for what the edge changes there, so it
 * replaces such listeners (`http/node-http-internals.ts`, `tls/take-over-handshakes.ts`).
 * @throws Error when this version of Node registers another number of listeners: it stops the edge at its start
 */
export function onlyListener(server: Http2SecureServer, event: 'connection' | 'stream'): (...args: unknown[]) => void {
  const listeners = server.listeners(event);
  const [listener] = listeners;
  if (listener === undefined || listeners.length > 1)
    throw new Error(
      `the edge does not support Node ${process.version}: an HTTP/2 server has ${listeners.length} listeners ` +
        `for "${event}" instead of 1`,
    );
  return listener as (...args: unknown[]) => void; // `listeners` knows no signatures
}
