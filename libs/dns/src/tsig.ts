/**
 * Transaction signatures (RFC 8945) with HMAC-SHA-256: signs a request, and checks that the reply was made by a holder of
 * the same key for this request. A reply without a correct MAC proves nothing, whatever it contains.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DecodedReply, RawRecord, RecordData } from './decode-reply.js';
import { encodeName } from './update-message.js';

/** A key that this process shares with a name server. */
export interface TsigKey {
  /** In lower case, without the final dot. */
  readonly name: string;
  readonly secret: Buffer;
}

export interface SignedRequest {
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
  const bytes = Buffer.concat([message, encodeRecord(variables, mac, message.readUInt16BE(0))]);
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
function encodeRecord({ keyName, timeSigned, fudge, error, otherData }: Variables, mac: Buffer, id: number): Buffer {
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
