import type { Server, Socket } from 'node:net';
import type { Networks } from '@pets/platform';
import { setClientAddress } from './client-address.js';
import { resetSocket } from './connection.js';
import { HANDSHAKE_TIMEOUT_MS } from './throttle-handshakes.js';
import { parseProxyHeader } from './proxy-header.js';

/** Connections whose header is awaited, which no quota counts yet. A load balancer sends it at once. */
const MAX_WAITING = 1_024;

/**
 * Reads the PROXY protocol header of connections from trusted proxies before the server gets them, so that limits and the
 * access log use the client's address. A trusted peer may also connect without a header, as health checks and probes do.
 * From any other peer a header is data, which neither TLS nor HTTP accepts.
 *
 * Call it after all other `connection` listeners are registered: they run when the header has been read.
 * @param onRefused called for each connection that is reset because of its header
 */
export function acceptProxied(server: Server, trusted: Networks, onRefused: () => void): void {
  const listeners = server.rawListeners('connection');
  const accept = (socket: Socket) => listeners.forEach((listener) => void Reflect.apply(listener, server, [socket]));
  let waiting = 0;
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!trusted.includes(withoutMapping(socket.remoteAddress ?? ''))) {
      accept(socket);
      return;
    }
    const refuse = () => {
      onRefused();
      resetSocket(socket);
    };
    if (waiting >= MAX_WAITING) {
      refuse();
      return;
    }
    waiting += 1;
    readHeader(
      socket,
      () => (waiting -= 1),
      refuse,
      () => accept(socket),
    );
  });
}

/** IPv4 as such, where a socket shows it as IPv6. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/**
 * Reads until the header is complete, and puts back what follows it. Without a complete header in time, it refuses.
 * @param onEnd called once, when it does not read any more
 */
function readHeader(socket: Socket, onEnd: () => void, refuse: () => void, accept: () => void): void {
  let received = Buffer.alloc(0);
  const timer = setTimeout(() => end(refuse), HANDSHAKE_TIMEOUT_MS);
  const end = (next: () => void) => {
    clearTimeout(timer);
    onEnd();
    socket.off('readable', onReadable).off('close', onClose).off('error', onError);
    next();
  };
  const onClose = () => end(() => undefined);
  const onError = () => undefined; // `close` follows
  const onReadable = () => {
    const chunk: unknown = socket.read();
    if (!Buffer.isBuffer(chunk)) {
      if (socket.readableEnded) socket.destroy();
      return;
    }
    received = Buffer.concat([received, chunk]);
    const header = parseProxyHeader(received);
    if (header.kind === 'incomplete') return;
    if (header.kind === 'malformed') {
      end(refuse);
      return;
    }
    const rest = header.kind === 'complete' ? received.subarray(header.bytes) : received;
    end(() => {
      if (rest.length > 0) socket.unshift(rest);
      if (header.kind === 'complete' && header.client !== undefined) setClientAddress(socket, header.client);
      accept();
    });
  };
  socket.on('readable', onReadable).on('close', onClose).on('error', onError);
}
