import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { replyTo, type NameServer } from './packets.js';

const IDLE_LIMIT_MS = 10_000;
/** With port 0 the TCP port comes first; the same number may be taken over UDP, so try a few. */
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
