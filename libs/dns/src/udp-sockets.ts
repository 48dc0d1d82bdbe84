import { randomInt } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket, type SocketType } from 'node:dgram';
import { BlockList, isIPv6 } from 'node:net';
import { failureText } from '@pets/domains';
import type { CheckTime } from './check-time.js';
import { idOf, isReplyTo, setId } from './dns-message.js';
import type { ServerAddress } from './server-address.js';

/** How one exchange with a server ended. */
export type Exchange =
  | { readonly kind: 'reply'; readonly bytes: Buffer }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly error: string };

/** Each socket has a source port of its own, which a forger would have to guess besides the id (RFC 5452 §9.2). */
const OPEN_SOCKETS = 8;
/** A port that is used for long can be found out: after so many questions, or so long, another one takes its place. */
const QUESTIONS_A_SOCKET = 256;
const SOCKET_LIFE_MS = 10_000;
const IDS = 0x1_0000;

interface Waiting {
  readonly server: ServerAddress;
  readonly question: Buffer;
  readonly end: (exchange: Exchange) => void;
}

interface Port {
  readonly socket: Socket;
  readonly waiting: Map<number, Waiting>;
  readonly bornAt: number;
  asked: number;
}

/**
 * Questions over UDP through a few shared sockets. A reply counts only if it comes from the server that was asked, with the
 * id and the question that were sent; anything else is passed over, and the waiting goes on.
 */
export class UdpSockets {
  readonly #ports: Record<SocketType, Port[]> = { udp4: [], udp6: [] };

  exchange(server: ServerAddress, question: Buffer, limitMs: number, time: CheckTime): Promise<Exchange> {
    const type = isIPv6(server.host) ? 'udp6' : 'udp4';
    const port = this.#choosePort(type);
    const id = freeId(port.waiting);
    setId(question, id);
    return new Promise((resolve) => {
      const end = (exchange: Exchange) => {
        if (!port.waiting.delete(id)) return;
        clearTimeout(timer);
        takeBack();
        this.#retire(type, port);
        resolve(exchange);
      };
      const timer = setTimeout(() => end({ kind: 'timeout' }), limitMs);
      const takeBack = time.onEnd(() => end({ kind: 'failed', error: 'given up' }));
      port.waiting.set(id, { server, question, end });
      port.asked += 1;
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
    const ports = this.#ports[type].filter((port) => !isWorn(port));
    while (ports.length < OPEN_SOCKETS) ports.push(this.#openPort(type));
    this.#ports[type] = ports;
    const chosen = ports[randomInt(ports.length)];
    if (chosen === undefined) throw new Error('there is no socket');
    return chosen;
  }

  #openPort(type: SocketType): Port {
    // Only addresses are sent to: the look-up that a socket makes of its own is left out.
    const lookup = (host: string, _options: unknown, done: (error: null, address: string, family: number) => void) =>
      done(null, host, type === 'udp6' ? 6 : 4);
    const port: Port = {
      socket: createSocket({ type, lookup }),
      waiting: new Map(),
      bornAt: performance.now(),
      asked: 0,
    };
    port.socket.on('message', (bytes, sender) => hand(port, bytes, sender));
    port.socket.on('error', (error) => {
      this.#ports[type] = this.#ports[type].filter((other) => other !== port);
      endPort(port, failureText(error));
    });
    // An idle socket keeps no process alive.
    port.socket.bind(0, () => port.socket.unref());
    return port;
  }

  /** A worn socket that nobody waits at is closed; one that was replaced earlier is in no list any more. */
  #retire(type: SocketType, port: Port): void {
    if (port.waiting.size === 0 && (isWorn(port) || !this.#ports[type].includes(port))) closeSocket(port.socket);
  }
}

function hand(port: Port, bytes: Buffer, sender: RemoteInfo): void {
  const waiting = port.waiting.get(idOf(bytes) ?? -1);
  if (waiting === undefined || !isFrom(sender, waiting.server) || !isReplyTo(bytes, waiting.question)) return;
  waiting.end({ kind: 'reply', bytes });
}

function isFrom(sender: RemoteInfo, server: ServerAddress): boolean {
  if (sender.port !== server.port) return false;
  if (sender.address === server.host) return true;
  if (!isIPv6(server.host) || !isIPv6(sender.address)) return false;
  // IPv6 has many spellings of one address.
  const same = new BlockList();
  same.addAddress(server.host, 'ipv6');
  return same.check(sender.address, 'ipv6');
}

function isWorn({ asked, bornAt }: Port): boolean {
  return asked >= QUESTIONS_A_SOCKET || performance.now() - bornAt >= SOCKET_LIFE_MS;
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
