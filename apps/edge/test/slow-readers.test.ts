import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { frame, frameType, getRequest, opening, windowOf, windowUpdate } from './raw-http2.js';
import { siteRoute, EdgeFixture } from './edge-fixture.js';

/** Clients that do not read their responses, on purpose or because their network is slow. */
let fixture: EdgeFixture;
const FILES = 100;
const HASH = '510a';

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge({ EDGE_HANDSHAKES_PER_ADDRESS: '0' });
  const large = Array.from({ length: FILES }, (_, index) => [`${index}.bin`, randomBytes(300_000)] as const);
  await fixture.deploy(
    { ...Object.fromEntries(large), 'huge.bin': Buffer.alloc(16_000_000), 'small.bin': randomBytes(1_000) },
    HASH,
  );
  await fixture.issue('slow', 'slow.test');
  await fixture.api.publishAndSettle({ 'slow.test': siteRoute('slow', HASH) });
});
afterAll(() => fixture.tearDown());

/** The limit for a stalled response of 10 s, the check interval, and time for a slow machine. */
const STALL_LIMIT_MS = 20_000;
const descriptors = () => readdirSync('/proc/self/fd').length;

/** An HTTP/2 client that controls its windows. */
class RawSession {
  readonly heads = new Set<number>();
  readonly reset = new Set<number>();
  readonly bytes = new Map<number, number>();
  #rest: Buffer = Buffer.alloc(0);

  constructor(readonly socket: TLSSocket) {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  static async open(window: number): Promise<RawSession> {
    const session = new RawSession(await fixture.visitor.handshake('slow.test', { ALPNProtocols: ['h2'] }));
    session.socket.write(Buffer.concat([opening, windowOf(window)]));
    return session;
  }

  /** @returns the stream */
  ask(path: string, streamId: number): number {
    this.socket.write(getRequest(streamId, 'slow.test', path));
    return streamId;
  }

  every(ms: number, send: () => Buffer): this {
    const timer = setInterval(() => this.socket.write(send()), ms);
    this.socket.once('close', () => clearInterval(timer));
    return this;
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      if (this.#rest.length < 9) return;
      const length = this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < 9 + length) return;
      const type = this.#rest.readUInt8(3);
      const streamId = this.#rest.readUInt32BE(5);
      if (type === frameType.headers) this.heads.add(streamId);
      if (type === frameType.rstStream) this.reset.add(streamId);
      if (type === frameType.data) this.bytes.set(streamId, (this.bytes.get(streamId) ?? 0) + length);
      this.#rest = this.#rest.subarray(9 + length);
    }
  }
}

const ping = () => frame(frameType.ping, 0, 0, Buffer.alloc(8));
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: slow.test\r\n${more}\r\n`;

const ended = (socket: Duplex) =>
  waitUntil(() => socket.destroyed, { message: 'the connection is ended', timeoutMs: STALL_LIMIT_MS });

describe('a client that does not read its responses', () => {
  it('holds no descriptor and no storage read', async () => {
    const session = await RawSession.open(0);
    for (let index = 0; index < FILES; index++) session.ask(`/${index}.bin`, 2 * index + 1);
    await waitUntil(() => session.heads.size >= 32, { message: 'the answers have begun' });
    const others = await RawSession.open(0);
    const before = descriptors();
    for (let index = 0; index < FILES; index++) others.ask(`/${index}.bin`, 2 * index + 1);
    await waitUntil(() => others.heads.size >= 32, { message: 'the answers of the other have begun' });
    await waitUntil(async () => (await fixture.count('edge_storage_reads')) === 0, { message: 'nothing is read' });
    expect(descriptors() - before).toBeLessThan(5);
    expect(await fixture.count('edge_unsent_bytes')).toBeLessThan(4_000_000);
    for (const { socket } of [session, others]) socket.destroy();
  });

  it('is disconnected whatever else it sends, while a slow reader above the minimum rate is served', async () => {
    const idle = await RawSession.open(0);
    const dripping = await RawSession.open(0);
    const small = await RawSession.open(0);
    idle.every(2_000, ping).ask('/huge.bin', 1);
    dripping.every(2_000, () => windowUpdate(1, 1)).ask('/huge.bin', 1);
    small.every(2_000, ping).ask('/small.bin', 1);
    const many = (await RawSession.open(0)).every(2_000, ping);
    for (let index = 0; index < FILES; index++) many.ask(`/${index}.bin`, 2 * index + 1);
    const mixed = (await RawSession.open(0)).every(500, () => windowUpdate(3, 4_000));
    mixed.ask('/huge.bin', 1);
    mixed.ask('/huge.bin', 3);
    const http1 = await fixture.visitor.handshake('slow.test');
    http1.on('error', () => undefined).write(get('/huge.bin'));
    http1.pause();
    // On loopback the kernel buffers megabytes, of which this client reads 32 KiB a second.
    const slow = await fixture.visitor.handshake('slow.test');
    slow.write(get('/huge.bin'));
    const sips = setInterval(() => void slow.read(32 * 1_024), 1_000);

    const isReset = ({ reset }: RawSession) => reset.has(1);
    await waitUntil(() => [idle, dripping, small, mixed].every(isReset), {
      message: 'the streams are reset',
      timeoutMs: STALL_LIMIT_MS,
    });
    await Promise.all([many.socket, http1.resume()].map(ended));
    expect(mixed.reset.has(3)).toBe(false);
    expect(mixed.bytes.get(3)).toBeGreaterThan(4_000);
    expect([...many.reset].length).toBeLessThan(FILES);
    expect(await fixture.count('edge_http2_sessions_ended_total{reason="stalled"}')).toBe(1);
    expect(await fixture.count('edge_replies_ended_total{reason="stalled"}')).toBeGreaterThanOrEqual(5);
    expect(slow.destroyed).toBe(false);
    clearInterval(sips);
    for (const socket of [idle.socket, dripping.socket, small.socket, mixed.socket, slow]) socket.destroy();
  });
});

describe('requests of one connection', () => {
  it.each(['plain', 'secure'] as const)('are answered one after the other on the %s port', async (port) => {
    const socket = await (port === 'plain' ? fixture.visitor.tcp() : fixture.visitor.handshake('slow.test'));
    const chunks: Buffer[] = [];
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(get('/small.bin').repeat(40) + get('/none', 'Connection: close\r\n'));
    await ended(socket);
    const statuses = [
      ...Buffer.concat(chunks)
        .toString('latin1')
        .matchAll(/HTTP\/1\.1 (\d{3})/g),
    ].map(([, status]) => status);
    expect(statuses).toHaveLength(41);
    expect(statuses.at(-1)).toBe(port === 'plain' ? '308' : '404');
  });

  it.each(['plain', 'secure'] as const)('may not be a thousand at once on the %s port', async (port) => {
    const socket = await (port === 'plain' ? fixture.visitor.tcp() : fixture.visitor.handshake('slow.test'));
    socket.on('error', () => undefined).resume();
    socket.write(get('/huge.bin').repeat(1_000));
    await ended(socket);
    expect((await fixture.visitor.secure('slow.test', { path: '/small.bin' })).bytes).toHaveLength(1_000);
  });
});
