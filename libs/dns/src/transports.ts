import { randomInt } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket, type SocketType } from 'node:dgram';
import { BlockList, connect, isIPv6 } from 'node:net';
import { errorCodeOf, failureText } from '@pets/domains';
import type { CheckDeadline } from './check-deadline.js';
import { idOf, isReplyTo, setId } from './dns-message.js';
import type { ServerAddress } from './server-address.js';

/** The result of one exchange with a server. */
type Exchange =
  | { readonly kind: 'reply'; readonly bytes: Buffer }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly error: string };

/** Each socket has its own source port, which a forger must guess in addition to the id (RFC 5452 §9.2). */
const SOCKET_COUNT = 8;
/** An attacker can discover a port that is used for long, so sockets are replaced after so many queries or so long. */
const MAX_QUERIES_PER_SOCKET = 256;
const SOCKET_LIFETIME_MS = 10_000;
const IDS = 0x1_0000;

interface Waiting {
  readonly server: ServerAddress;
  readonly question: Buffer;
  readonly end: (exchange: Exchange) => void;
}

interface Port {
  readonly socket: Socket;
  readonly waiting: Map<number, Waiting>;
  readonly openedAt: number;
  queryCount: number;
}

/**
 * Sends questions over UDP through a few shared sockets. A reply counts only if it comes from the queried server and has the
 * id and the question that were sent; all other packets are ignored.
 */
export class UdpSockets {
  readonly #ports: Record<SocketType, Port[]> = { udp4: [], udp6: [] };

  exchange(server: ServerAddress, question: Buffer, limitMs: number, deadline: CheckDeadline): Promise<Exchange> {
    const type = isIPv6(server.host) ? 'udp6' : 'udp4';
    const port = this.#choosePort(type);
    const id = freeId(port.waiting);
    setId(question, id);
    return new Promise((resolve) => {
      const end = (exchange: Exchange) => {
        if (!port.waiting.delete(id)) return;
        clearTimeout(timer);
        unsubscribe();
        this.#closeIfUnused(type, port);
        resolve(exchange);
      };
      const timer = setTimeout(() => end({ kind: 'timeout' }), limitMs);
      const unsubscribe = deadline.onEnd(() => end({ kind: 'failed', error: 'aborted' }));
      port.waiting.set(id, { server, question, end });
      port.queryCount += 1;
      port.socket.send(question, server.port, server.host, (error) => {
        if (error !== null) end({ kind: 'failed', error: failureText(error) });
      });
    });
  }

  close(): void {
    for (const port of [...this.#ports.udp4, ...this.#ports.udp6]) endPort(port, 'closed');
    this.#ports.udp4 = [];
    this.#ports.udp6 = [];
  }

  #choosePort(type: SocketType): Port {
    const ports = this.#ports[type].filter((port) => !isExpired(port));
    while (ports.length < SOCKET_COUNT) ports.push(this.#openPort(type));
    this.#ports[type] = ports;
    const chosen = ports[randomInt(ports.length)];
    if (chosen === undefined) throw new Error('there is no socket');
    return chosen;
  }

  #openPort(type: SocketType): Port {
    // Destinations are addresses, so the socket needs no name lookup.
    const lookup = (host: string, _options: unknown, done: (error: null, address: string, family: number) => void) =>
      done(null, host, type === 'udp6' ? 6 : 4);
    const port: Port = {
      socket: createSocket({ type, lookup }),
      waiting: new Map(),
      openedAt: performance.now(),
      queryCount: 0,
    };
    port.socket.on('message', (bytes, sender) => deliverReply(port, bytes, sender));
    port.socket.on('error', (error) => {
      this.#ports[type] = this.#ports[type].filter((other) => other !== port);
      endPort(port, failureText(error));
    });
    // An idle socket must not keep the process alive.
    port.socket.bind(0, () => port.socket.unref());
    return port;
  }

  /** Closes an expired or replaced socket once it has no pending query. */
  #closeIfUnused(type: SocketType, port: Port): void {
    if (port.waiting.size === 0 && (isExpired(port) || !this.#ports[type].includes(port))) closeSocket(port.socket);
  }
}

function deliverReply(port: Port, bytes: Buffer, sender: RemoteInfo): void {
  const waiting = port.waiting.get(idOf(bytes) ?? -1);
  if (waiting === undefined || !isFrom(sender, waiting.server) || !isReplyTo(bytes, waiting.question)) return;
  waiting.end({ kind: 'reply', bytes });
}

function isFrom(sender: RemoteInfo, server: ServerAddress): boolean {
  if (sender.port !== server.port) return false;
  if (sender.address === server.host) return true;
  if (!isIPv6(server.host) || !isIPv6(sender.address)) return false;
  // One IPv6 address has many spellings.
  const same = new BlockList();
  same.addAddress(server.host, 'ipv6');
  return same.check(sender.address, 'ipv6');
}

function isExpired({ queryCount, openedAt }: Port): boolean {
  return queryCount >= MAX_QUERIES_PER_SOCKET || performance.now() - openedAt >= SOCKET_LIFETIME_MS;
}

function freeId(taken: ReadonlyMap<number, unknown>): number {
  for (;;) {
    const id = randomInt(IDS);
    if (!taken.has(id)) return id;
  }
}

function endPort(port: Port, error: string): void {
  for (const waiting of [...port.waiting.values()]) waiting.end({ kind: 'failed', error });
  closeSocket(port.socket);
}

const closed = new WeakSet<Socket>();

function closeSocket(socket: Socket): void {
  if (closed.has(socket)) return;
  closed.add(socket);
  socket.close();
}

const LENGTH_BYTES = 2;

/**
 * Sends one message over a new TCP connection (RFC 7766) and returns the first message of the server, which has at most
 * 64 KiB. The caller checks that it is the reply. It never rejects.
 */
export function exchangeOverTcp(
  { host, port }: ServerAddress,
  message: Buffer,
  limitMs: number,
  deadline: CheckDeadline,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    // Concatenated once, however many chunks the server sends.
    const chunks: Buffer[] = [];
    let size = 0;
    let length: number | null = null;
    const end = (exchange: Exchange) => {
      clearTimeout(timer);
      unsubscribe();
      socket.destroy();
      resolve(exchange);
    };
    const timer = setTimeout(() => end({ kind: 'timeout' }), limitMs);
    const unsubscribe = deadline.onEnd(() => end({ kind: 'failed', error: 'aborted' }));
    socket.on('error', (error) => end({ kind: 'failed', error: errorCodeOf(error) ?? failureText(error) }));
    socket.on('close', () => end({ kind: 'failed', error: 'the connection was closed' }));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < LENGTH_BYTES) return;
      length ??= Buffer.concat(chunks).readUInt16BE(0);
      if (size < LENGTH_BYTES + length) return;
      const bytes = Buffer.concat(chunks).subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      end({ kind: 'reply', bytes });
    });
    const prefix = Buffer.alloc(LENGTH_BYTES);
    prefix.writeUInt16BE(message.length);
    socket.write(Buffer.concat([prefix, message]));
  });
}
