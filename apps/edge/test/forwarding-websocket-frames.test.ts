import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import type { EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, endingOrigins, serveApplication, TestOrigin } from './forwarding-fixture.js';

/**
 * The edge carries the bytes of a WebSocket and reads no frame's content, so both sides must get exactly what the other one sent,
 * valid or not, and decide about it themselves (RFC 6455).
 */

const RAW = 'raw.pets.test';

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await buildForwardingFixture();
});
afterAll(() => fixture.tearDown());

interface FrameOptions {
  readonly isFinal?: boolean;
  readonly isMasked?: boolean;
  readonly reserved?: number;
}

/** A frame as RFC 6455 §5.2 writes it, valid or not. */
function frame(opcode: number, payload: Buffer | string, options: FrameOptions = {}): Buffer {
  const { isFinal = true, isMasked = false, reserved = 0 } = options;
  const bytes = Buffer.from(payload);
  const mask = isMasked ? 0x80 : 0;
  const head = Buffer.alloc(bytes.length < 126 ? 2 : bytes.length < 65_536 ? 4 : 10);
  head.writeUInt8((isFinal ? 0x80 : 0) | (reserved << 4) | opcode, 0);
  if (head.length === 2) head.writeUInt8(mask | bytes.length, 1);
  else if (head.length === 4) {
    head.writeUInt8(mask | 126, 1);
    head.writeUInt16BE(bytes.length, 2);
  } else {
    head.writeUInt8(mask | 127, 1);
    head.writeBigUInt64BE(BigInt(bytes.length), 2);
  }
  if (!isMasked) return Buffer.concat([head, bytes]);
  const key = randomBytes(4);
  return Buffer.concat([head, key, bytes.map((byte, at) => byte ^ (key[at % 4] ?? 0))]);
}

const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10];
const closing = (code: number, reason = '') => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(code);
  return Buffer.concat([bytes, Buffer.from(reason)]);
};

const HANDSHAKE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: a2V5a2V5';
/** Not in Node's types. */
const halfOpen: ConnectionOptions & { readonly allowHalfOpen: true } = { allowHalfOpen: true };

describe('the bytes of a WebSocket', () => {
  const ending = endingOrigins();
  let accepted: Socket[] = [];

  beforeEach(async () => {
    accepted = [];
    const origin = await TestOrigin.raw((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        accepted.push(socket);
      });
    });
    ending.push(origin);
    await serveApplication(fixture, RAW, origin.url);
  });

  async function open(): Promise<[visitor: TLSSocket, application: Socket]> {
    const visitor = await fixture.visitor.handshake(RAW, halfOpen);
    visitor.on('error', () => undefined);
    visitor.write(`GET / HTTP/1.1\r\nHost: ${RAW}\r\n${HANDSHAKE}\r\n\r\n`);
    const [head] = (await once(visitor, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\n$/);
    const [application] = accepted;
    if (application === undefined) throw new Error('the application has no connection');
    return [visitor, application];
  }

  function collect(socket: Socket): { readonly bytes: () => Buffer } {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    return { bytes: () => Buffer.concat(chunks) };
  }

  const cases: readonly (readonly [name: string, make: (options: FrameOptions) => readonly Buffer[]])[] = [
    ['a text and an empty one', (more) => [frame(TEXT, 'hello', more), frame(TEXT, '', more)]],
    [
      'fragments, with control frames between them',
      (more) => [
        frame(TEXT, 'one', { ...more, isFinal: false }),
        frame(PING, 'between', more),
        frame(CONTINUATION, 'two', { ...more, isFinal: false }),
        frame(PONG, '', more),
        frame(CONTINUATION, 'three', more),
      ],
    ],
    ['control frames of the largest size', (more) => [frame(PING, Buffer.alloc(125, 'p'), more)]],
    [
      'control frames that are too large, or in fragments',
      (more) => [frame(PING, Buffer.alloc(126, 'p'), more), frame(PONG, 'x', { ...more, isFinal: false })],
    ],
    [
      'each size at which the head becomes longer',
      (more) => [125, 126, 127, 65_535, 65_536].map((size) => frame(BINARY, Buffer.alloc(size, 'b'), more)),
    ],
    [
      'reserved bits and reserved opcodes',
      (more) => [
        frame(TEXT, 'x', { ...more, reserved: 7 }),
        ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) => frame(opcode, 'x', more)),
      ],
    ],
    ['a text that is not UTF-8', (more) => [frame(TEXT, Buffer.from([0xff, 0xfe, 0xc0, 0x80]), more)]],
    ['a continuation of nothing', (more) => [frame(CONTINUATION, 'x', more)]],
    ['masks on the wrong side', ({ isMasked }) => [frame(TEXT, 'x', { isMasked: isMasked !== true })]],
    [
      'closing with and without a code, and with a wrong one',
      (more) => [
        frame(CLOSE, closing(1000, 'done'), more),
        frame(CLOSE, '', more),
        frame(CLOSE, 'x', more),
        frame(CLOSE, closing(1005), more),
        frame(TEXT, 'after the close', more),
      ],
    ],
    [
      'a length that says more than will ever come',
      ({ isMasked }) => [
        Buffer.from([
          0x82,
          (isMasked === true ? 0x80 : 0) | 127,
          0x7f,
          0xff,
          0xff,
          0xff,
          0xff,
          0xff,
          0xff,
          0xff,
          1,
          2,
          3,
          4,
          5,
        ]),
      ],
    ],
    ['what is no frame at all', () => [randomBytes(10_000)]],
  ];

  it.each(cases)('are the same on both sides: %s', async (_name, make) => {
    const [visitor, application] = await open();
    const [up, down] = [Buffer.concat(make({ isMasked: true })), Buffer.concat(make({}))];
    const [atApplication, atVisitor] = [collect(application), collect(visitor)];
    // A byte at a time where that ends soon: boundaries of packets are none of frames.
    for (const [socket, bytes] of [
      [visitor, up],
      [application, down],
    ] as const) {
      const single = Math.min(bytes.length, 300);
      for (let at = 0; at < single; at++) socket.write(bytes.subarray(at, at + 1));
      socket.write(bytes.subarray(single));
    }
    await waitUntil(() => atApplication.bytes().length >= up.length && atVisitor.bytes().length >= down.length, {
      message: 'both sides have everything',
    });
    expect(atApplication.bytes().equals(up)).toBe(true);
    expect(atVisitor.bytes().equals(down)).toBe(true);
    visitor.destroy();
  });

  it('that follow the request, or the answer, in the same packet are not lost', async () => {
    const early = frame(TEXT, 'early', { isMasked: true });
    const origin = await TestOrigin.raw((socket) => {
      let received = '';
      socket.on('data', (chunk: Buffer) => {
        const isFirst = received === '';
        received += chunk.toString('latin1');
        if (isFirst)
          socket.write(
            Buffer.concat([
              Buffer.from('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
              frame(TEXT, 'first'),
            ]),
          );
        if (received.endsWith(early.toString('latin1'))) socket.write(frame(TEXT, 'seen'));
      });
    });
    ending.push(origin);
    await serveApplication(fixture, RAW, origin.url);
    const visitor = await fixture.visitor.handshake(RAW);
    const atVisitor = collect(visitor);
    visitor.write(Buffer.concat([Buffer.from(`GET / HTTP/1.1\r\nHost: ${RAW}\r\n${HANDSHAKE}\r\n\r\n`), early]));
    const expected = Buffer.concat([frame(TEXT, 'first'), frame(TEXT, 'seen')]);
    await waitUntil(() => atVisitor.bytes().toString('latin1').endsWith(expected.toString('latin1')), {
      message: 'the visitor has both',
    });
    visitor.destroy();
  });

  it('arrive before the end when the visitor has ended its side: WebSockets are not half-closed (RFC 6455 §7.1.1)', async () => {
    const [visitor, application] = await open();
    const atApplication = collect(application);
    const last = frame(BINARY, Buffer.alloc(1_000_000, 'l'), { isMasked: true });
    const closed = once(visitor, 'close');
    visitor.end(last);
    await once(application, 'end');
    expect(atApplication.bytes().equals(last)).toBe(true);
    await closed;
  });

  it('arrive before the end when the application has ended its side', async () => {
    const [visitor, application] = await open();
    const atVisitor = collect(visitor);
    const large = frame(BINARY, Buffer.alloc(1_000_000, 'l'));
    application.end(large);
    await once(visitor, 'end');
    expect(atVisitor.bytes().equals(large)).toBe(true);
    visitor.end();
    await waitUntil(async () => (await fixture.count('edge_web_sockets')) === 0, { message: 'it has ended' });
  });

  it('end with a reset of either side', async () => {
    for (const isOfVisitor of [true, false]) {
      accepted = [];
      const [visitor, application] = await open();
      const other = isOfVisitor ? application : visitor;
      const closed = new Promise((resolve) =>
        other
          .on('error', () => undefined)
          .on('close', resolve)
          .resume(),
      );
      if (isOfVisitor) visitor.destroy();
      else application.resetAndDestroy();
      await closed;
    }
  });
});
