import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { HANDSHAKE_TIMEOUT_MS, HANDSHAKES_A_TURN } from '../http/limits.js';
import { KeyedRateLimiter } from '../keyed-rate-limiter.js';
import { FairScheduler } from '../fair-scheduler.js';
import { addressGroup } from './address-group.js';

/**
 * Puts an order before what Node does with a connection, which is to begin its handshake, the dearest thing that a
 * stranger may ask for: of one address so many begin in a second, and one in a turn of the loop.
 * @param perSecond 0 for no limit
 * @param onRefused of a connection that would have waited for longer than a handshake may take
 */
export function throttleHandshakes(server: Http2SecureServer, perSecond: number, onRefused: () => void): void {
  const [beginHandshake] = server.listeners('connection');
  if (beginHandshake === undefined) throw new Error('nobody would begin a handshake');
  server.removeAllListeners('connection');
  const isGone = ({ destroyed }: Socket) => destroyed;
  const turns = new FairScheduler<string, Socket>({
    perTurn: HANDSHAKES_A_TURN,
    begin: (socket) => void Reflect.apply(beginHandshake, server, [socket]),
    isGone,
  });
  const take = (socket: Socket) => turns.take(addressGroup(socket.remoteAddress ?? ''), socket);
  if (perSecond === 0) {
    server.on('connection', take);
    return;
  }
  const pace = new KeyedRateLimiter<string, Socket>({
    perSecond,
    longestWaitMs: HANDSHAKE_TIMEOUT_MS,
    begin: take,
    isGone,
  });
  server.on('connection', (socket: Socket) => {
    if (pace.take(addressGroup(socket.remoteAddress ?? ''), socket)) return;
    onRefused();
    socket.resetAndDestroy();
  });
}
