import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { siteRoute, type EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, serveApplication, TestOrigin } from './forwarding-fixture.js';
import { frame, frameType, opening, postHead } from './raw-http2.js';

/** Nothing is kept of a client that has gone before its upload was complete, whatever answered it, in whatever order. */

const SITE = 'site.test';
const UNREACHABLE = 'gone.pets.test';
const EARLY = 'early.pets.test';
const SILENT = 'silent.pets.test';
const PIECE = Buffer.alloc(16_000);
/** More than the buffers on the way to an application that reads nothing. */
const MANY_PIECES = 3_000;
/** A second for the check of the edge, and time for a busy machine. */
const LIMIT_MS = 10_000;

let fixture: EdgeFixture;
let early: TestOrigin;
let silent: TestOrigin;

beforeAll(async () => {
  fixture = await buildForwardingFixture();
  early = await TestOrigin.raw((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large'));
  });
  silent = await TestOrigin.raw((socket) => socket.pause());
  await serveApplication(fixture, EARLY, early.url);
  await serveApplication(fixture, SILENT, silent.url);
  await serveApplication(fixture, UNREACHABLE, 'http://127.0.0.1:1');
  await fixture.issue('certificate-1', SITE);
  await fixture.api.publishAndSettle({ [SITE]: siteRoute('certificate-1') });
});
afterAll(async () => {
  await early.close();
  await silent.close();
  await fixture.tearDown();
});

interface Client {
  readonly tcp: Socket;
  readonly tls: TLSSocket;
}

/** How a client begins an upload, and a piece of its body. */
interface Uploading {
  readonly protocol: 'h2' | 'http/1.1';
  readonly head: (host: string) => Buffer;
  readonly piece: Buffer;
}

const framings: Readonly<Record<string, Uploading>> = {
  'HTTP/2': {
    protocol: 'h2',
    head: (host) => postHead(1, host),
    piece: frame(frameType.data, 0, 1, PIECE),
  },
  'HTTP/1.1 with a length': {
    protocol: 'http/1.1',
    head: (host) => Buffer.from(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 90000000\r\n\r\n`),
    piece: PIECE,
  },
  'HTTP/1.1 in chunks': {
    protocol: 'http/1.1',
    head: (host) => Buffer.from(`POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`),
    piece: Buffer.concat([Buffer.from(`${PIECE.length.toString(16)}\r\n`), PIECE, Buffer.from('\r\n')]),
  },
};

const departures: Readonly<Record<string, (client: Client) => void>> = {
  'resets its connection': ({ tcp }) => void tcp.resetAndDestroy(),
  'closes its connection': ({ tls }) => void tls.destroy(),
  'ends its side of the connection': ({ tls }) => void tls.end(),
};

async function open(host: string, protocol: string): Promise<Client> {
  const tcp = connect(fixture.edge.ports().https, '127.0.0.1');
  await once(tcp, 'connect');
  const tls = await fixture.visitor.handshake(host, { socket: tcp, ALPNProtocols: [protocol] });
  tls.on('error', () => undefined);
  tcp.on('error', () => undefined);
  if (protocol === 'h2') {
    tls.write(opening);
    await once(tls, 'data');
    tls.write(frame(frameType.settings, 1, 0));
  }
  return { tcp, tls };
}

async function expectNothingKept(): Promise<void> {
  const held = ['edge_connections', 'edge_forwarded_requests', 'edge_unsent_bytes', 'edge_origin_connections'];
  await waitUntil(
    async () => {
      const counts = await Promise.all(held.map((series) => fixture.count(series)));
      return counts.every((count) => count === 0);
    },
    { message: 'nothing is kept', timeoutMs: LIMIT_MS },
  );
}

const hosts = [SITE, UNREACHABLE, EARLY];

describe.each(Object.entries(departures))('of a client that %s', (_departure, leave) => {
  describe.each(Object.entries(framings))('over %s', (_framing, { protocol, head, piece }) => {
    it.each(hosts)('together with its request, nothing is kept: %s', async (host) => {
      const client = await open(host, protocol);
      client.tls.write(Buffer.concat([head(host), piece]));
      leave(client);
      await expectNothingKept();
    });

    it.each(hosts)('when it has its answer, nothing is kept: %s', async (host) => {
      const client = await open(host, protocol);
      const answered = once(client.tls, 'data');
      client.tls.write(Buffer.concat([head(host), piece]));
      await answered;
      client.tls.write(Buffer.concat(Array.from({ length: 8 }, () => piece)));
      leave(client);
      await expectNothingKept();
    });
  });
});

describe('of a client that resets its connection while the edge reads nothing of it', () => {
  it.each(Object.entries(framings).filter(([, { protocol }]) => protocol === 'http/1.1'))(
    'nothing is kept: %s',
    async (_framing, { protocol, head, piece }) => {
      const client = await open(SILENT, protocol);
      client.tls.write(head(SILENT));
      for (let count = 0; count < MANY_PIECES; count++) client.tls.write(piece);
      let seen: number | undefined;
      const hasStopped = () => {
        const before = seen;
        seen = client.tls.writableLength;
        return seen === before;
      };
      await waitUntil(hasStopped, { message: 'the edge reads nothing more', intervalMs: 250 });
      expect(client.tls.writableLength).toBeGreaterThan(0);
      client.tcp.resetAndDestroy();
      await expectNothingKept();
    },
    30_000,
  );
});
