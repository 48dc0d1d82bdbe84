import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort, startDevDns } from '@pets/testing';
import { DnsUpdater } from '../src/dns-updater.js';
import { itUpdates, key as sharedKey, zone } from './updater-guarantees.js';

const patience = new AbortController().signal;
const key = { name: 'pets-acme', secret: randomBytes(32) };
const RESPONSE = 0x80;
let close = () => Promise.resolve();

afterEach(() => close());

/** A TCP server that gives scripted bytes for the message of a request; null for none. */
async function startScripted(reply: (message: Buffer, socket: Socket) => Buffer | null): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      const bytes = reply(chunk.subarray(2), socket);
      if (bytes === null) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      socket.write(Buffer.concat([length, bytes]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function updaterOf(server: string, timeoutMs = 2_000): DnsUpdater {
  return new DnsUpdater({ server, zone: 'acme.pets.example', key, timeoutMs });
}

/** The header of a request as a reply without any section. */
function headerOf(message: Buffer, rcode: number): Buffer {
  const header = Buffer.alloc(12);
  message.copy(header, 0, 0, 4);
  header[2] = (header[2] ?? 0) | RESPONSE;
  header[3] = rcode;
  return header;
}

/** The request with its own signature, turned into a reply. */
function echoOf(message: Buffer): Buffer {
  const echo = Buffer.from(message);
  echo[2] = (echo[2] ?? 0) | RESPONSE;
  return echo;
}

describe('DnsUpdater', () => {
  it.each<[string, (message: Buffer) => Buffer, string]>([
    ['an unsigned confirmation', (message) => headerOf(message, 0), 'unauthenticated'],
    ['a confirmation with the signature of the request', echoOf, 'unauthenticated'],
    ['an unsigned REFUSED', (message) => headerOf(message, 5), 'refused'],
    ['an unsigned SERVFAIL', (message) => headerOf(message, 2), 'server_failure'],
    ['an unsigned NOTIMP', (message) => headerOf(message, 4), 'rejected'],
    ['an unknown RCODE', (message) => headerOf(message, 14), 'rejected'],
    [
      'another id',
      (message) => Buffer.concat([Buffer.from([~(message[0] ?? 0)]), headerOf(message, 0).subarray(1)]),
      'malformed',
    ],
    ['the request itself', (message) => message, 'malformed'],
    ['no message', () => Buffer.alloc(3), 'malformed'],
    ['a message that ends within a record', (message) => echoOf(message).subarray(0, -4), 'malformed'],
  ])('reports %s', async (_case, reply, reason) => {
    const server = await startScripted(reply);
    await expect(updaterOf(server).update([], patience)).rejects.toMatchObject({ name: 'DnsUpdateError', reason });
  });

  it('names the server, the zone and the key, and not the secret', async () => {
    const server = await startScripted((message) => headerOf(message, 5));
    const failure = await updaterOf(server).update([], patience).catch(String);
    expect(failure).toBe(
      `DnsUpdateError: the name server ${server} (zone acme.pets.example, key pets-acme) refused the update with REFUSED: ` +
        'permit updates of TXT records in the zone with this key',
    );
  });

  it('reports a server that does not reply in time', async () => {
    const server = await startScripted(() => null);
    await expect(updaterOf(server, 50).update([], patience)).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('reports a server that closes the connection, and one that is not there', async () => {
    const server = await startScripted((_message, socket) => {
      socket.destroy();
      return null;
    });
    await expect(updaterOf(server).update([], patience)).rejects.toMatchObject({ reason: 'unreachable' });
    const nobody = `localhost:${await freePort()}`;
    await expect(updaterOf(nobody).update([], patience)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    const server = await startScripted(() => {
      controller.abort(new Error('the job has ended'));
      return null;
    });
    await expect(updaterOf(server).update([], controller.signal)).rejects.toThrow('the job has ended');
    await expect(updaterOf(server).update([], controller.signal)).rejects.toThrow('the job has ended');
  });

  it('sends nothing that exceeds a limit', async () => {
    const server = await startScripted(() => {
      throw new Error('nothing is sent');
    });
    const updater = updaterOf(server);
    const add = { kind: 'add', name: 'a.acme.pets.example', value: 'x', ttl: 1 } as const;
    const tooMany = Array.from({ length: 101 }, () => add);
    await expect(updater.update(tooMany, patience)).rejects.toThrow('more than 100 changes in one update');
    await expect(updater.update([{ ...add, value: 'x'.repeat(256) }], patience)).rejects.toThrow('more than 255 bytes');
    for (const name of ['a..example', `${'a'.repeat(64)}.example`, 'ä.example', 'a b.example', String.raw`a\.b`, ''])
      await expect(updater.update([{ ...add, name }], patience)).rejects.toThrow('is not a DNS name');
    const long = Array.from({ length: 8 }, () => 'a'.repeat(31)).join('.');
    await expect(updater.update([{ ...add, name: long }], patience)).rejects.toThrow('longer than a DNS name');
  });
});

describe('DnsUpdater with the development DNS server', () => {
  const start = async () => {
    const dns = await startDevDns({ challengeZone: { name: zone, key: sharedKey } });
    return { port: dns.port, address: dns.address, stop: () => dns.close() };
  };
  itUpdates(start, 'bad_key');
});
