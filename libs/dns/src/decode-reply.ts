/**
 * A decoder for DNS replies that takes time proportional to their size. A general decoder expands every name of every
 * record: with compression (RFC 1035 §4.1.4), 64 KB of records can contain megabytes of names. This one reads the target of
 * each pointer once, and the data of a record only on demand.
 */
export interface DecodedReply {
  readonly rcode: number;
  /** RFC 6891 §6.1.3: the upper bits of the response code; 0 without the extension. */
  readonly extendedRcode: number;
  readonly isTruncated: boolean;
  readonly isAuthoritative: boolean;
  readonly answers: readonly RawRecord[];
  readonly authorities: readonly RawRecord[];
  readonly additionals: readonly RawRecord[];
}

export interface RawRecord {
  /** Position in the message at which the record begins. */
  readonly offset: number;
  /** In lower case, without the final dot. */
  readonly owner: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  readonly data: RecordData;
}

const HEADER_BYTES = 12;
const FIXED_RECORD_BYTES = 10;
const QUESTION_TAIL_BYTES = 4;
const IS_AUTHORITATIVE = 0x0400;
const IS_TRUNCATED = 0x0200;
const RCODE_MASK = 0x000f;
const OPT = 41;

/** @throws RangeError if the bytes are not a DNS message */
export function decodeReply(bytes: Buffer): DecodedReply {
  const names = new Names(bytes);
  const flags = bytes.readUInt16BE(2);
  let offset = HEADER_BYTES;
  for (let left = bytes.readUInt16BE(4); left > 0; left -= 1) offset = names.endOf(offset) + QUESTION_TAIL_BYTES;
  const section = (count: number): RawRecord[] =>
    Array.from({ length: count }, () => {
      const begin = offset;
      const fixed = names.endOf(begin);
      const start = fixed + FIXED_RECORD_BYTES;
      const length = bytes.readUInt16BE(fixed + 8);
      if (start + length > bytes.length) throw new RangeError('a record ends after the message');
      offset = start + length;
      return {
        offset: begin,
        owner: names.at(begin),
        type: bytes.readUInt16BE(fixed),
        class: bytes.readUInt16BE(fixed + 2),
        ttl: bytes.readUInt32BE(fixed + 4),
        data: new RecordData(bytes.subarray(start, offset), start, names),
      };
    });
  const [answers, authorities, additionals] = [6, 8, 10].map((at) => section(bytes.readUInt16BE(at)));
  const extension = additionals?.find(({ type }) => type === OPT);
  return {
    rcode: flags & RCODE_MASK,
    extendedRcode: (extension?.ttl ?? 0) >>> 24,
    isTruncated: (flags & IS_TRUNCATED) !== 0,
    isAuthoritative: (flags & IS_AUTHORITATIVE) !== 0,
    answers: answers ?? [],
    authorities: authorities ?? [],
    additionals: additionals ?? [],
  };
}

/** The data of a record. Offsets are relative to its beginning. */
export class RecordData {
  readonly bytes: Buffer;
  readonly #start: number;
  readonly #names: Names;

  constructor(bytes: Buffer, start: number, names: Names) {
    this.bytes = bytes;
    this.#start = start;
    this.#names = names;
  }

  nameAt(offset: number): string {
    return this.#names.at(this.#start + offset);
  }

  /** The offset of the field after a name. */
  endOfNameAt(offset: number): number {
    return this.#names.endOf(this.#start + offset) - this.#start;
  }

  /** A character string: a length byte and its text (RFC 1035 §3.3). */
  stringAt(offset: number): Buffer {
    const end = offset + 1 + this.bytes.readUInt8(offset);
    if (end > this.bytes.length) throw new RangeError('a text ends after its record');
    return this.bytes.subarray(offset + 1, end);
  }
}

const POINTER = 0xc0;
const MAX_LABEL_BYTES = 63;
const MAX_NAME_BYTES = 255;
/** Pointers in one name. Real servers use one or two. */
const MAX_POINTERS = 32;

interface Name {
  readonly text: string;
  /** Length without compression. */
  readonly bytes: number;
}

const root: Name = { text: '', bytes: 1 };

/** The names of a message. The target of each pointer is read once, so reading all names takes linear time. */
class Names {
  readonly #bytes: Buffer;
  readonly #pointedAt = new Map<number, Name>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  at(offset: number): string {
    return this.#read(offset, 0).text;
  }

  /** The offset after a name: after its last label, or after a pointer. */
  endOf(offset: number): number {
    let at = offset;
    for (let length = this.#lengthAt(at); length !== 0; length = this.#lengthAt(at)) {
      if (length >= POINTER) return at + 2;
      at += 1 + length;
    }
    return at + 1;
  }

  #read(offset: number, pointers: number): Name {
    const labels: string[] = [];
    let at = offset;
    for (let length = this.#lengthAt(at); length !== 0; length = this.#lengthAt(at)) {
      if (length >= POINTER) return joined(labels, at - offset, this.#follow(at, offset, pointers + 1));
      if (at - offset > MAX_NAME_BYTES) throw new RangeError('a name is too long');
      labels.push(labelOf(this.#bytes.toString('utf8', at + 1, at + 1 + length)));
      at += 1 + length;
    }
    return joined(labels, at - offset, root);
  }

  #lengthAt(offset: number): number {
    const length = this.#bytes.readUInt8(offset);
    if (length > MAX_LABEL_BYTES && length < POINTER) throw new RangeError('a label is malformed');
    return length;
  }

  /** A pointer must lead backwards, so that pointers cannot form a cycle. */
  #follow(at: number, from: number, pointers: number): Name {
    const target = this.#bytes.readUInt16BE(at) & 0x3fff;
    if (target >= from || pointers > MAX_POINTERS) throw new RangeError('a pointer is malformed');
    const known = this.#pointedAt.get(target);
    if (known !== undefined) return known;
    const name = this.#read(target, pointers);
    this.#pointedAt.set(target, name);
    return name;
  }
}

function joined(labels: readonly string[], bytes: number, rest: Name): Name {
  const name = {
    text: [...labels, ...(rest.text === '' ? [] : [rest.text])].join('.'),
    bytes: bytes + rest.bytes,
  };
  if (name.bytes > MAX_NAME_BYTES) throw new RangeError('a name is too long');
  return name;
}

/** Host names are case-insensitive (RFC 4343). A dot within a label is escaped (RFC 1035 §5.1). */
function labelOf(text: string): string {
  return text.toLowerCase().replaceAll(/[\\.]/g, String.raw`\$&`);
}
