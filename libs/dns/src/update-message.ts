import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DecodedReply, RawRecord, RecordData } from './decode-reply.js';

/** Messages that change a zone (RFC 2136), for TXT records only. */

/** A change of the TXT records of one name. */
export type TxtChange =
  /** Adds a value to those that the name has. A value that it has already is not added again. */
  | { readonly kind: 'add'; readonly name: string; readonly value: string; readonly ttl: number }
  /** Removes one value and keeps the others. Removing a value that is not there succeeds. */
  | { readonly kind: 'remove'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove_all'; readonly name: string };

/** RFC 1035 §2.3.4. */
const MAX_LABEL_BYTES = 63;
const MAX_NAME_BYTES = 255;
/** RFC 1035 §3.3: one character string. A challenge has 43 characters (RFC 8555 §8.4). */
const MAX_TXT_BYTES = 255;
/** Maximum for one message: with the largest names and values it is below the 64 KiB that TCP allows. */
const MAX_CHANGES = 100;

const HEADER_BYTES = 12;
/** RFC 2136 §1.3. */
const OPCODE_UPDATE = 5;
const types = { SOA: 6, TXT: 16 } as const;
/** RFC 1035 §3.2.4, RFC 2136 §1.3. */
const classes = { IN: 1, NONE: 254, ANY: 255 } as const;

/**
 * Encodes an update of a zone, with the id 0. A server makes all changes of a message or none (RFC 2136 §3.4.2.7).
 * @throws RangeError if a name, a value or the number of changes exceeds a limit
 */
export function encodeUpdate(zone: string, changes: readonly TxtChange[]): Buffer {
  if (changes.length > MAX_CHANGES) throw new RangeError(`more than ${MAX_CHANGES} changes in one update`);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(OPCODE_UPDATE << 11, 2);
  // The zone section has one entry, which looks like a question (RFC 2136 §2.3); then no prerequisites, and the changes.
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(changes.length, 8);
  const zoneTail = Buffer.from([0, types.SOA, 0, classes.IN]);
  return Buffer.concat([header, encodeName(zone), zoneTail, ...changes.map(encodeChange)]);
}

/** Whether a message is the reply to an update with this id (RFC 2136 §2.2). */
export function isUpdateReply(bytes: Buffer, id: number): boolean {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== id) return false;
  const flags = bytes.readUInt16BE(2);
  return flags >>> 15 === 1 && ((flags >>> 11) & 0xf) === OPCODE_UPDATE;
}

/**
 * A name in the canonical wire form: in lower case, without compression (RFC 4034 §6.2).
 * @throws RangeError if it is not a name of ASCII labels
 */
function encodeName(name: string): Buffer {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.');
  const parts = labels.map((label) => {
    if (!/^[!-\[\]-~]+$/.test(label) || label.length > MAX_LABEL_BYTES)
      throw new RangeError(`${name} is not a DNS name`);
    return Buffer.from(String.fromCharCode(label.length) + label, 'latin1');
  });
  const bytes = Buffer.concat([...parts, Buffer.alloc(1)]);
  if (bytes.length > MAX_NAME_BYTES) throw new RangeError(`${name} is longer than a DNS name`);
  return bytes;
}

/** RFC 2136 §2.5.1 (add), §2.5.4 (class NONE removes one record), §2.5.2 (class ANY removes all records of the type). */
function encodeChange(change: TxtChange): Buffer {
  switch (change.kind) {
    case 'add':
      return encodeRecord(change.name, classes.IN, change.ttl, encodeText(change.value));
    case 'remove':
      return encodeRecord(change.name, classes.NONE, 0, encodeText(change.value));
    case 'remove_all':
      return encodeRecord(change.name, classes.ANY, 0, Buffer.alloc(0));
  }
}

function encodeRecord(name: string, recordClass: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(types.TXT, 0);
  fixed.writeUInt16BE(recordClass, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

function encodeText(value: string): Buffer {
  const text = Buffer.from(value);
  if (text.length > MAX_TXT_BYTES) throw new RangeError(`a TXT value has more than ${MAX_TXT_BYTES} bytes`);
  return Buffer.concat([Buffer.from([text.length]), text]);
}

/**
 * Transaction signatures (RFC 8945) with HMAC-SHA-256: signs a request, and checks that the reply was made by a holder of
 * the same key for this request. A reply without a correct MAC proves nothing, whatever it contains.
 */

/** A key that this process shares with a name server. */
export interface TsigKey {
  /** In lower case, without the final dot. */
  readonly name: string;
  readonly secret: Buffer;
}

interface SignedRequest {
  readonly bytes: Buffer;
  /** The MAC of the request, which the MAC of its reply covers (RFC 8945 §5.3). */
  readonly mac: Buffer;
}

/** Result of checking the signature of a reply. `error` is the TSIG error of the server (RFC 8945 §3), 0 for none. */
export type TsigVerdict =
  | { readonly kind: 'signed'; readonly error: number; readonly serverTime: Date }
  /** RFC 8945 §5.3.2: a server that does not know the key, or finds a wrong MAC, cannot sign its reply. */
  | { readonly kind: 'unsigned'; readonly error: number }
  /** Not made by a holder of the key, or for another request. */
  | { readonly kind: 'forged' }
  /** Correctly signed at a time that is too far from ours (RFC 8945 §5.2.3). */
  | { readonly kind: 'outdated'; readonly serverTime: Date };

/** RFC 8945 §3. */
export const tsigErrors = { BADSIG: 16, BADKEY: 17, BADTIME: 18, BADTRUNC: 22 } as const;

const ALGORITHM = 'hmac-sha256';
const MAC_BYTES = 32;
/** RFC 8945 §10: recommended; the difference of clocks that is accepted. */
const FUDGE_SECONDS = 300;
const TSIG_TYPE = 250;
const CLASS_ANY = 255;
const ADDITIONAL_COUNT_AT = 10;
const TIME_BYTES = 6;

/** The fields of a TSIG record that its MAC covers. */
interface Variables {
  readonly keyName: string;
  readonly timeSigned: number;
  readonly fudge: number;
  readonly error: number;
  readonly otherData: Buffer;
}

/** Appends the TSIG record to a message that has none (RFC 8945 §5.1). Its id must be set before: the MAC covers it. */
export function signRequest(message: Buffer, key: TsigKey, now: Date): SignedRequest {
  const variables: Variables = {
    keyName: key.name,
    timeSigned: secondsOf(now),
    fudge: FUDGE_SECONDS,
    error: 0,
    otherData: Buffer.alloc(0),
  };
  const mac = macOf(key, [message, encodeVariables(variables)]);
  const bytes = Buffer.concat([message, encodeTsigRecord(variables, mac, message.readUInt16BE(0))]);
  bytes.writeUInt16BE(message.readUInt16BE(ADDITIONAL_COUNT_AT) + 1, ADDITIONAL_COUNT_AT);
  return { bytes, mac };
}

/**
 * Checks the signature of a reply in the order of RFC 8945 §5.4: key, MAC, time.
 * @throws RangeError if the TSIG record is malformed
 */
export function verifyReply(
  bytes: Buffer,
  { additionals }: DecodedReply,
  { key, requestMac, now }: { readonly key: TsigKey; readonly requestMac: Buffer; readonly now: Date },
): TsigVerdict {
  const record = additionals.at(-1);
  // RFC 8945 §5.1: exactly one, and the last record of the message.
  const count = additionals.filter(({ type }) => type === TSIG_TYPE).length;
  if (record?.type !== TSIG_TYPE) return count === 0 ? { kind: 'unsigned', error: 0 } : { kind: 'forged' };
  const { algorithm, mac, originalId, ...variables } = decodeRecord(record);
  if (mac.length === 0) return { kind: 'unsigned', error: variables.error };
  if (count !== 1 || record.class !== CLASS_ANY || record.ttl !== 0) return { kind: 'forged' };
  if (variables.keyName !== key.name || algorithm !== ALGORITHM) return { kind: 'forged' };
  const expected = macOf(key, [
    lengthOf(requestMac),
    requestMac,
    withoutRecord(bytes, record, originalId),
    encodeVariables(variables),
  ]);
  // RFC 8945 §5.2.2.1 permits shorter MACs by agreement; there is none.
  if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, expected)) return { kind: 'forged' };
  const serverTime = serverTimeOf(variables);
  const isOutdated = Math.abs(secondsOf(now) - variables.timeSigned) > variables.fudge;
  return isOutdated ? { kind: 'outdated', serverTime } : { kind: 'signed', error: variables.error, serverTime };
}

/** RFC 8945 §5.2.3: a reply with BADTIME repeats our time as the time of signing, and has the server's in its other data. */
function serverTimeOf({ error, timeSigned, otherData }: Variables): Date {
  const isBadTime = error === tsigErrors.BADTIME && otherData.length === TIME_BYTES;
  return new Date((isBadTime ? otherData.readUIntBE(0, TIME_BYTES) : timeSigned) * 1_000);
}

/** RFC 8945 §4.3.2: the message as it was before the record was added, with its original id. */
function withoutRecord(bytes: Buffer, record: RawRecord, originalId: number): Buffer {
  const message = Buffer.from(bytes.subarray(0, record.offset));
  message.writeUInt16BE(originalId, 0);
  message.writeUInt16BE(message.readUInt16BE(ADDITIONAL_COUNT_AT) - 1, ADDITIONAL_COUNT_AT);
  return message;
}

/** RFC 8945 §4.3.3: the fields in the order in which they are hashed; names in canonical form. */
function encodeVariables({ keyName, timeSigned, fudge, error, otherData }: Variables): Buffer {
  const classAndTtl = Buffer.from([0, CLASS_ANY, 0, 0, 0, 0]);
  const times = Buffer.alloc(TIME_BYTES + 2);
  times.writeUIntBE(timeSigned, 0, TIME_BYTES);
  times.writeUInt16BE(fudge, TIME_BYTES);
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(error, 0);
  tail.writeUInt16BE(otherData.length, 2);
  return Buffer.concat([encodeName(keyName), classAndTtl, encodeName(ALGORITHM), times, tail, otherData]);
}

/** RFC 8945 §4.2. */
function encodeTsigRecord(
  { keyName, timeSigned, fudge, error, otherData }: Variables,
  mac: Buffer,
  id: number,
): Buffer {
  const head = Buffer.alloc(TIME_BYTES + 4);
  head.writeUIntBE(timeSigned, 0, TIME_BYTES);
  head.writeUInt16BE(fudge, TIME_BYTES);
  head.writeUInt16BE(mac.length, TIME_BYTES + 2);
  const tail = Buffer.alloc(6);
  tail.writeUInt16BE(id, 0);
  tail.writeUInt16BE(error, 2);
  tail.writeUInt16BE(otherData.length, 4);
  const data = Buffer.concat([encodeName(ALGORITHM), head, mac, tail, otherData]);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TSIG_TYPE, 0);
  fixed.writeUInt16BE(CLASS_ANY, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(keyName), fixed, data]);
}

function decodeRecord({ owner, data }: { readonly owner: string; readonly data: RecordData }) {
  const { bytes } = data;
  const timeAt = data.endOfNameAt(0);
  const macAt = timeAt + TIME_BYTES + 4;
  const originalIdAt = macAt + bytes.readUInt16BE(macAt - 2);
  const otherAt = originalIdAt + 6;
  const otherEnd = otherAt + bytes.readUInt16BE(otherAt - 2);
  if (otherEnd !== bytes.length) throw new RangeError('the lengths in the TSIG record are wrong');
  return {
    keyName: owner,
    algorithm: data.nameAt(0),
    timeSigned: bytes.readUIntBE(timeAt, TIME_BYTES),
    fudge: bytes.readUInt16BE(timeAt + TIME_BYTES),
    mac: bytes.subarray(macAt, originalIdAt),
    originalId: bytes.readUInt16BE(originalIdAt),
    error: bytes.readUInt16BE(originalIdAt + 2),
    otherData: bytes.subarray(otherAt, otherEnd),
  };
}

function macOf({ secret }: TsigKey, parts: readonly Buffer[]): Buffer {
  return createHmac('sha256', secret).update(Buffer.concat(parts)).digest();
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return length;
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
