import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';

/** HTTP/2 frames made by hand (RFC 9113 §4.1), for what no client library would send. */

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
};

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export function frame(type: number, flags: number, streamId: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** A block of headers for a GET of `/`, without Huffman coding and without a table (RFC 7541 §6.2.2). */
export function headerBlock(host: string): Buffer {
  const literal = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  // Indexed fields of the static table: :method GET, :scheme https, :path /; and :authority by its index.
  return Buffer.concat([Buffer.from([0x82, 0x87, 0x84, 0x01]), literal(host)]);
}

/** The head of a POST to `/`, whose body follows. */
export function postHead(streamId: number, host: string): Buffer {
  const authority = Buffer.concat([Buffer.from([0x83, 0x87, 0x84, 0x01, host.length]), Buffer.from(host)]);
  return frame(frameType.headers, 0x4, streamId, authority);
}

/** A request for a path: a stream with only a head. */
export function getRequest(streamId: number, host: string, path: string): Buffer {
  const literal = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  const fields = [Buffer.from([0x82, 0x87, 0x04]), literal(path), Buffer.from([0x01]), literal(host)];
  return frame(frameType.headers, 0x4 | 0x1, streamId, Buffer.concat(fields));
}

/** How much may be sent on each stream until the client says more. */
export function windowOf(bytes: number): Buffer {
  const setting = Buffer.alloc(6);
  setting.writeUInt16BE(4, 0); // SETTINGS_INITIAL_WINDOW_SIZE
  setting.writeUInt32BE(bytes, 2);
  return frame(frameType.settings, 0, 0, setting);
}

export function windowUpdate(streamId: number, bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes, 0);
  return frame(frameType.windowUpdate, 0, streamId, payload);
}

/** The beginning of every connection. */
export const opening = Buffer.concat([PREFACE, frame(frameType.settings, 0, 0)]);

/** Writes as fast as the other side reads, until it closes. Answers are read, because backpressure would end the flood. */
export async function flood(socket: TLSSocket, first: Buffer, next: (round: number) => Buffer): Promise<void> {
  socket.on('error', () => undefined);
  socket.resume();
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(30_000) });
  socket.write(first);
  for (let round = 0; !socket.destroyed && socket.writable; round++) {
    if (!socket.write(next(round))) await Promise.race([once(socket, 'drain'), closed]).catch(() => undefined);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
}
