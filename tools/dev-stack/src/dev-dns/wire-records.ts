/** Records of a message as bytes, with classes and types that the package cannot decode. */
import { canonicalName } from './record-data.js';

/** A place in a message, which reading moves forward. */
export type Reader = { readonly bytes: Buffer; offset: number };

export type WireRecord = {
  /** Where it begins in the message. */
  readonly offset: number;
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  readonly data: Buffer;
};

export const HEADER_BYTES = 12;
const FIXED_BYTES = 10;
const POINTER = 0xc0;
const MAX_POINTERS = 16;

/** @throws RangeError if the message ends before */
export function readRecords(reader: Reader, count: number): WireRecord[] {
  const { bytes } = reader;
  return Array.from({ length: count }, () => {
    const { offset } = reader;
    const name = readName(reader);
    const fixed = reader.offset;
    const end = fixed + FIXED_BYTES + bytes.readUInt16BE(fixed + 8);
    if (end > bytes.length) throw new RangeError('a record ends after the message');
    reader.offset = end;
    return {
      offset,
      name,
      type: bytes.readUInt16BE(fixed),
      class: bytes.readUInt16BE(fixed + 2),
      ttl: bytes.readUInt32BE(fixed + 4),
      data: bytes.subarray(fixed + FIXED_BYTES, end),
    };
  });
}

/** Reads a name, with compression (RFC 1035 §4.1.4). @throws RangeError if it is malformed */
export function readName(reader: Reader): string {
  const { bytes } = reader;
  const labels: string[] = [];
  let at = reader.offset;
  let end: number | null = null;
  let pointers = 0;
  for (let length = bytes.readUInt8(at); length !== 0; length = bytes.readUInt8(at)) {
    if (length >= POINTER) {
      if (++pointers > MAX_POINTERS) throw new RangeError('too many pointers in a name');
      end ??= at + 2;
      at = bytes.readUInt16BE(at) & 0x3fff;
    } else {
      labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
  }
  reader.offset = end ?? at + 1;
  return canonicalName(labels.join('.'));
}

/** A name on the wire, without compression. */
export function nameOf(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

export function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
