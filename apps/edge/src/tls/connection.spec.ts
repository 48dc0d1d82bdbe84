import { once } from 'node:events';
import { connect, createServer, Socket, type AddressInfo, type Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createTestCa } from '@pets/testing';
import { Connection } from './connection.js';

let opened: { readonly server: Server; readonly client: Socket } | undefined;

afterEach(() => {
  opened?.client.destroy();
  opened?.server.close();
});

/** Creates both ends of a connection, for each port. */
const ports: Readonly<Record<string, () => Promise<Connection>>> = {
  plain: async () => {
    const server = createServer();
    const tcp = await join(server, 'connection', (port) => connect(port));
    return new Connection(tcp);
  },
  TLS: async () => {
    const { chainPem: cert, keyPem: key } = await (await createTestCa()).issue({ names: ['a.test'] });
    const server = createTlsServer({ cert, key });
    const underlying = once(server, 'connection');
    const tls = await join(server, 'secureConnection', (port) => connectTls({ port, rejectUnauthorized: false }));
    const [tcp] = (await underlying) as [Socket]; // what the event has
    return new Connection(tls, 'a.test', tcp);
  },
};

async function join<S extends Socket | TLSSocket>(server: Server, event: string, open: (port: number) => S) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, event);
  const client = open((server.address() as AddressInfo).port)
    .on('error', () => undefined)
    .resume(); // of TCP
  opened = { server, client };
  const [socket] = (await accepted) as [S]; // what both events have
  return socket.on('error', () => undefined).resume();
}

describe('a connection of HTTP/1 is unused', () => {
  const socket = Object.assign(new Socket(), { bytes: 0 });
  Object.defineProperty(socket, 'bytesRead', { get: () => socket.bytes });

  it('when it had no traffic for a while after a response', () => {
    const connection = new Connection(socket);
    expect(connection.isUnused(100_000, 6_000)).toBe(false); // no request yet: Node limits the time for the first
    connection.requestStarted();
    expect(connection.isUnused(200_000, 6_000)).toBe(false);
    socket.bytes += 100;
    connection.requestEnded(300_000);
    expect(connection.isUnused(301_000, 6_000)).toBe(false);
    socket.bytes += 1; // the beginning of the next head
    expect(connection.isUnused(306_900, 6_000)).toBe(false);
    expect(connection.isUnused(312_800, 6_000)).toBe(false);
    expect(connection.isUnused(312_900, 6_000)).toBe(true);
  });
});

describe.each(Object.entries(ports))('a connection of the %s port', (_port, open) => {
  it.each([0, 1, 2, 3])('that ends is closed by a reset %i turns later', async (turns) => {
    const connection = await open();
    await setImmediate(); // Node's code of the handshake, which ran until here, crashes without its socket
    const tcp = connection.underlying ?? connection.socket;
    const closed = once(tcp, 'close');
    connection.socket.end('hello');
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    connection.reset();
    await closed;
    expect(tcp.destroyed).toBe(true);
  });
});
