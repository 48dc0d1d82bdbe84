/** HTTP/2 frames made by hand (RFC 9113 §4.1), for what no client library would send. */

export const frameType = {
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

export function frame(type: number, flags: number, streamId: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** The beginning of a connection: how much each stream, and the connection, may be sent before the client says more. */
export function openingOf(streamWindow: number, addedToConnection: number): Buffer {
  const setting = Buffer.alloc(6);
  setting.writeUInt16BE(INITIAL_WINDOW_SIZE, 0);
  setting.writeUInt32BE(streamWindow, 2);
  const more = addedToConnection > 0 ? [windowUpdate(0, addedToConnection)] : [];
  return Buffer.concat([PREFACE, frame(frameType.settings, 0, 0, setting), ...more]);
}

export function windowUpdate(streamId: number, bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes, 0);
  return frame(frameType.windowUpdate, 0, streamId, payload);
}

/** A GET, without Huffman coding and without a table (RFC 7541 §6.2.2). */
export function getRequest(streamId: number, host: string, path: string, encodings?: string): Buffer {
  const literal = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  // Of the static table: :method GET and :scheme https whole; :path, :authority and accept-encoding by their names.
  const accept = encodings === undefined ? [] : [Buffer.from([0x0f, 0x01]), literal(encodings)];
  const fields = [Buffer.from([0x82, 0x87, 0x04]), literal(path), Buffer.from([0x01]), literal(host), ...accept];
  return frame(frameType.headers, END_HEADERS | END_STREAM, streamId, Buffer.concat(fields));
}

/** Calls back for each whole frame in what arrives. */
export function frameReader(onFrame: (type: number, flags: number, streamId: number, length: number) => void) {
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
