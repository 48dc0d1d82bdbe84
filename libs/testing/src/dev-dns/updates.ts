/**
 * Updates of TXT records (RFC 2136) that are signed with TSIG (RFC 8945, HMAC-SHA-256), as the worker sends them. Written
 * without the code of the worker, so that a mistake there does not hide here.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalName } from './record-data.js';
import type { UpdatedZone, Zone } from './zone.js';

const rcodes = { NOERROR: 0, FORMERR: 1, NOTIMP: 4, REFUSED: 5, NOTAUTH: 9, NOTZONE: 10 } as const;
const tsigErrors = { NONE: 0, BADSIG: 16, BADKEY: 17, BADTIME: 18 } as const;
const classes = { IN: 1, NONE: 254, ANY: 255 } as const;
const types = { SOA: 6, TXT: 16, TSIG: 250 } as const;

const ALGORITHM = 'hmac-sha256';
const TIME_BYTES = 6;
const FUDGE_SECONDS = 300;
const FLAGS_OF_REPLY = 0xa800; // QR and the opcode UPDATE

type Signature = {
  readonly name: string;
  readonly algorithm: string;
  readonly time: number;
  readonly fudge: number;
  readonly mac: Buffer;
  readonly originalId: number;
};

type UpdateRequest = {
  readonly zoneName: string;
  readonly needed: readonly WireRecord[];
  readonly changes: readonly WireRecord[];
  readonly signature: Signature | null;
  /** The request without its signature, which the MAC covers. */
  readonly unsigned?: Buffer;
};

/** Makes the changes of an update, or refuses it, and returns the reply. */
export function replyToUpdate(bytes: Buffer, zone: Zone, now: Date): Buffer {
  const { updated } = zone;
  if (updated === undefined) return replyWith(bytes, rcodes.NOTIMP);
  let request: UpdateRequest;
  try {
    request = readRequest(bytes);
  } catch {
    return replyWith(bytes, rcodes.FORMERR);
  }
  return answer(bytes, request, { zone, updated, now });
}

/** @throws an error if the bytes are not an update */
function readRequest(bytes: Buffer): UpdateRequest {
  const reader: Reader = { bytes, offset: HEADER_BYTES };
  const [zones, prerequisites = 0, updates = 0, additionals = 0] = [4, 6, 8, 10].map((at) => bytes.readUInt16BE(at));
  const zoneName = readName(reader);
  const zoneType = bytes.readUInt16BE(reader.offset);
  if (zones !== 1 || zoneType !== types.SOA) throw new Error('there is not one zone');
  reader.offset += 4;
  const needed = readRecords(reader, prerequisites);
  const changes = readRecords(reader, updates);
  const last = readRecords(reader, additionals).at(-1);
  if (last?.type !== types.TSIG) return { zoneName, needed, changes, signature: null };
  const unsigned = Buffer.from(bytes.subarray(0, last.offset));
  const signature = readSignature(last);
  unsigned.writeUInt16BE(signature.originalId, 0);
  unsigned.writeUInt16BE(additionals - 1, 10);
  return { zoneName, needed, changes, signature, unsigned };
}

/** RFC 8945 §5.2: key, MAC, time; then RFC 2136 §3. */
function answer(
  bytes: Buffer,
  { zoneName, needed, changes, signature, unsigned = bytes }: UpdateRequest,
  { zone, updated, now }: { zone: Zone; updated: UpdatedZone; now: Date },
): Buffer {
  if (signature === null) return replyWith(bytes, rcodes.REFUSED);
  const { name, secret } = updated.key;
  const refused = replyWith(bytes, rcodes.NOTAUTH);
  if (signature.name !== name || signature.algorithm !== ALGORITHM)
    return withTsig(refused, signature, { error: tsigErrors.BADKEY });
  const expected = macOf(secret, unsigned, signature, tsigErrors.NONE, Buffer.alloc(0));
  if (signature.mac.length !== expected.length || !timingSafeEqual(signature.mac, expected))
    return withTsig(refused, signature, { error: tsigErrors.BADSIG });
  const seconds = Math.floor(now.getTime() / 1_000);
  if (Math.abs(seconds - signature.time) > signature.fudge) return signBadTime(refused, signature, secret, seconds);
  if (zoneName !== updated.name) return signReply(refused, signature, secret, seconds);
  // Prerequisites are not supported.
  const rcode = needed.length > 0 ? rcodes.NOTIMP : applyChanges(changes, zone, zoneName);
  return signReply(replyWith(bytes, rcode), signature, secret, seconds);
}

/** RFC 2136 §3.4: all changes are checked before the first one is made. */
function applyChanges(changes: readonly WireRecord[], zone: Zone, zoneName: string): number {
  if (changes.some(({ name }) => name !== zoneName && !name.endsWith(`.${zoneName}`))) return rcodes.NOTZONE;
  if (changes.some(({ type }) => type !== types.TXT)) return rcodes.REFUSED;
  const known: readonly number[] = Object.values(classes);
  if (changes.some((change) => !known.includes(change.class))) return rcodes.FORMERR;
  for (const { name, class: kind, ttl, data } of changes) {
    if (kind === classes.IN) zone.put({ name, type: 'TXT', data: textOf(data), ttl });
    else zone.remove(name, 'TXT', kind === classes.NONE ? textOf(data) : undefined);
  }
  return rcodes.NOERROR;
}

/** The character strings in the form of a zone file, each byte that is not printable as its number. */
function textOf(data: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; at < data.length; at += 1 + data.readUInt8(at)) {
    const part = data.subarray(at + 1, at + 1 + data.readUInt8(at)).toString('latin1');
    const escaped = part.replaceAll(/["\\]|[^ -~]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`);
    parts.push(`"${escaped}"`);
  }
  return parts.join(' ');
}

/** A reply without sections (RFC 2136 §3.8). */
function replyWith(bytes: Buffer, rcode: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  bytes.copy(header, 0, 0, 2);
  header.writeUInt16BE(FLAGS_OF_REPLY | rcode, 2);
  return header;
}

function signReply(reply: Buffer, signature: Signature, secret: Buffer, seconds: number): Buffer {
  const own = { ...signature, time: seconds, fudge: FUDGE_SECONDS };
  return withTsig(reply, own, { error: tsigErrors.NONE, secret, requestMac: signature.mac });
}

/** RFC 8945 §5.2.3: the time of the client as the time of signing, that of the server in the other data. */
function signBadTime(reply: Buffer, signature: Signature, secret: Buffer, seconds: number): Buffer {
  const otherData = Buffer.alloc(TIME_BYTES);
  otherData.writeUIntBE(seconds, 0, TIME_BYTES);
  return withTsig(reply, signature, { error: tsigErrors.BADTIME, secret, requestMac: signature.mac, otherData });
}

/** Appends the TSIG record (RFC 8945 §4.2), with a MAC if there is a secret. */
function withTsig(
  reply: Buffer,
  signature: Signature,
  {
    error,
    secret,
    requestMac = Buffer.alloc(0),
    otherData = Buffer.alloc(0),
  }: { error: number; secret?: Buffer; requestMac?: Buffer; otherData?: Buffer },
): Buffer {
  const covered = Buffer.concat([uint16(requestMac.length), requestMac, reply]);
  const mac = secret === undefined ? Buffer.alloc(0) : macOf(secret, covered, signature, error, otherData);
  const data = Buffer.concat([
    nameOf(signature.algorithm),
    timeOf(signature),
    uint16(mac.length),
    mac,
    reply.subarray(0, 2),
    uint16(error),
    uint16(otherData.length),
    otherData,
  ]);
  const fixed = Buffer.concat([uint16(types.TSIG), uint16(classes.ANY), Buffer.alloc(4), uint16(data.length)]);
  const signed = Buffer.concat([reply, nameOf(signature.name), fixed, data]);
  signed.writeUInt16BE(1, 10);
  return signed;
}

/** RFC 8945 §4.3.3. */
function macOf(secret: Buffer, covered: Buffer, signature: Signature, error: number, otherData: Buffer): Buffer {
  return createHmac('sha256', secret)
    .update(covered)
    .update(Buffer.concat([nameOf(signature.name), uint16(classes.ANY), Buffer.alloc(4)]))
    .update(Buffer.concat([nameOf(signature.algorithm), timeOf(signature), uint16(error)]))
    .update(Buffer.concat([uint16(otherData.length), otherData]))
    .digest();
}

function timeOf({ time, fudge }: Signature): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES + 2);
  bytes.writeUIntBE(time, 0, TIME_BYTES);
  bytes.writeUInt16BE(fudge, TIME_BYTES);
  return bytes;
}

function readSignature({ name, data }: WireRecord): Signature {
  const reader: Reader = { bytes: data, offset: 0 };
  const algorithm = readName(reader);
  const at = reader.offset;
  const macAt = at + TIME_BYTES + 4;
  const macEnd = macAt + data.readUInt16BE(macAt - 2);
  return {
    name,
    algorithm,
    time: data.readUIntBE(at, TIME_BYTES),
    fudge: data.readUInt16BE(at + TIME_BYTES),
    mac: data.subarray(macAt, macEnd),
    originalId: data.readUInt16BE(macEnd),
  };
}

/** A place in a message, which reading moves forward. */
type Reader = { readonly bytes: Buffer; offset: number };

type WireRecord = {
  /** Start of the record in the message. */
  readonly offset: number;
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  readonly data: Buffer;
};

const HEADER_BYTES = 12;
const FIXED_BYTES = 10;
const POINTER = 0xc0;
const MAX_POINTERS = 16;

/** @throws RangeError if the message ends before */
function readRecords(reader: Reader, count: number): WireRecord[] {
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
function readName(reader: Reader): string {
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
function nameOf(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
