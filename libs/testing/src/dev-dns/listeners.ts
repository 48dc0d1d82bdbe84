import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import packets, { type OptAnswer, type Packet } from 'dns-packet';
import type { ExtendedError, Rcode, Reply } from './zone.js';

const IDLE_LIMIT_MS = 10_000;
/** Attempts with port 0: the number of the TCP port may be taken over UDP. */
const PORT_ATTEMPTS = 10;

export type Listeners = { readonly port: number; close(): Promise<void> };

/** Answers over UDP and TCP on one port of an address; port 0 takes a free one. */
export async function listen(server: NameServer, host: string, port: number): Promise<Listeners> {
  for (let attempt = 1; ; attempt += 1) {
    const sockets = new Set<Socket>();
    const tcp = createServer((socket) => {
      sockets.add(socket.once('close', () => sockets.delete(socket)));
      serveStream(socket, server);
    });
    tcp.listen(port, host);
    await once(tcp, 'listening');
    const taken = (tcp.address() as AddressInfo).port; // listening on TCP: never a pipe's path
    try {
      const udp = await bindUdp(server, host, taken);
      return { port: taken, close: () => close(tcp, udp, sockets) };
    } catch (error) {
      await new Promise((resolve) => tcp.close(resolve));
      if (port !== 0 || attempt >= PORT_ATTEMPTS) throw error;
    }
  }
}

async function bindUdp(server: NameServer, host: string, port: number): Promise<UdpSocket> {
  const udp = createSocket('udp4');
  udp.on('message', (bytes, { port: asker, address }) => {
    const reply = replyTo(bytes, server, 'udp');
    if (reply) udp.send(reply, asker, address, () => undefined); // an asker that has gone is no trouble of ours
  });
  udp.bind(port, host);
  await once(udp, 'listening');
  return udp;
}

/** RFC 1035 §4.2.2: each message is preceded by its length in two bytes, and there may be several. */
function serveStream(socket: Socket, server: NameServer): void {
  let pending = Buffer.alloc(0);
  socket.setTimeout(IDLE_LIMIT_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0);
      const reply = replyTo(pending.subarray(2, end), server, 'tcp');
      pending = pending.subarray(end);
      if (reply) socket.write(Buffer.concat([lengthOf(reply), reply]));
    }
  });
}

function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return length;
}

async function close(tcp: Server, udp: UdpSocket, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await Promise.all([
    new Promise<void>((resolve) => tcp.close(() => resolve())),
    new Promise<void>((resolve) => udp.close(() => resolve())),
  ]);
}

const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const satisfies Record<
  Rcode | 'FORMERR' | 'NOTIMP',
  number
>;

/** RFC 1035 §4.2.1: without EDNS a datagram carries 512 bytes. */
const PLAIN_UDP_BYTES = 512;
const OUR_UDP_BYTES = 1232;
const OPCODE_MASK = 0x7800;
const OPCODE_UPDATE = 0x2800;
const HEADER_BYTES = 12;
const IS_REPLY = 0x8000;
/** The option of RFC 8914 §2. The package's type does not have it, and writes the data of any option. */
const EXTENDED_ERROR = 15 as 12;

/** Responder at a port. */
type NameServer = {
  resolve(question: string, type: string, isUnchecked: boolean): Reply;
  /** @param bytes a message with an update (RFC 2136) */
  update(bytes: Buffer): Buffer | undefined;
};

/**
 * Turns one query's bytes into the reply's, or into nothing where the server stays silent.
 * Over UDP a reply that does not fit is emptied and marked as truncated, which sends the asker to TCP.
 */
function replyTo(bytes: Buffer, server: NameServer, transport: 'udp' | 'tcp'): Buffer | undefined {
  if (isUpdate(bytes)) return server.update(bytes);
  const query = decode(bytes);
  if (!query || query.type !== 'query') return undefined;
  const [question, ...more] = query.questions ?? [];
  if (((query.flags ?? 0) & OPCODE_MASK) !== 0) return packets.encode(emptyReply(query, rcodes.NOTIMP));
  if (!question || more.length > 0) return packets.encode(emptyReply(query, rcodes.FORMERR));
  const isUnchecked = ((query.flags ?? 0) & packets.CHECKING_DISABLED) !== 0;
  const found = server.resolve(question.name, question.type, isUnchecked);
  if (found.kind === 'none') return undefined;
  const opt = query.additionals?.find((record) => record.type === 'OPT');
  const reply: Packet = {
    ...emptyReply(query, rcodes[found.rcode]),
    answers: found.answers,
    authorities: found.authorities,
    additionals: opt ? [ourOpt(found.extendedError)] : [],
  };
  const encoded = packets.encode(reply);
  const limit = opt ? Math.max(PLAIN_UDP_BYTES, Math.min(opt.udpPayloadSize, OUR_UDP_BYTES)) : PLAIN_UDP_BYTES;
  if (transport === 'tcp' || encoded.length <= limit) return encoded;
  const flags = (reply.flags ?? 0) | packets.TRUNCATED_RESPONSE;
  return packets.encode({ ...reply, flags, answers: [], authorities: [] });
}

function isUpdate(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && (bytes.readUInt16BE(2) & (OPCODE_MASK | IS_REPLY)) === OPCODE_UPDATE;
}

function decode(bytes: Buffer): Packet | undefined {
  try {
    return packets.decode(bytes);
  } catch {
    return undefined; // not DNS: silence is what it gets
  }
}

function emptyReply(query: Packet, rcode: number): Packet {
  const recursionDesired = (query.flags ?? 0) & packets.RECURSION_DESIRED;
  return {
    type: 'response',
    id: query.id,
    flags: packets.AUTHORITATIVE_ANSWER | packets.RECURSION_AVAILABLE | recursionDesired | rcode,
    questions: query.questions,
  };
}

function ourOpt(error?: ExtendedError): OptAnswer {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize: OUR_UDP_BYTES,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: error === undefined ? [] : [{ code: EXTENDED_ERROR, data: encodeError(error) }],
  };
}

/** RFC 8914 §2: the code in two bytes, and a text. */
function encodeError({ code, text = '' }: ExtendedError): Buffer {
  const info = Buffer.alloc(2);
  info.writeUInt16BE(code);
  return Buffer.concat([info, Buffer.from(text)]);
}
