import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
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

/** Both ends of a connection of each port. */
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
