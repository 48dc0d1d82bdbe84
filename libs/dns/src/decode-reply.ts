/**
 * Reads a reply in time proportional to its size, whatever a server puts into it. A general decoder expands every name of
 * every record: with compression (RFC 1035 §4.1.4), 64 KB of records can hold megabytes of names. Here each name that a
 * pointer leads to is read once, and the data of a record only when it is asked for.
 *
 * It throws for what is no DNS message.
 */
export interface DecodedReply {
  readonly rcode: number;
  /** RFC 6891 §6.1.3: the upper bits of the response code; 0 without the extension. */
  readonly extendedRcode: number;
  readonly isTruncated: boolean;
  readonly isAuthoritative: boolean;
  readonly answers: readonly RawRecord[];
  readonly authorities: readonly RawRecord[];
}

export interface RawRecord {
  /** In lower case, without the final dot. */
  readonly owner: string;
  readonly type: number;
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

export function decodeReply(bytes: Buffer): DecodedReply {
  const names = new Names(bytes);
  const flags = bytes.readUInt16BE(2);
  let offset = HEADER_BYTES;
  for (let left = bytes.readUInt16BE(4); left > 0; left -= 1) offset = names.endOf(offset) + QUESTION_TAIL_BYTES;
  const section = (count: number): RawRecord[] =>
    Array.from({ length: count }, () => {
      const fixed = names.endOf(offset);
      const start = fixed + FIXED_RECORD_BYTES;
      const length = bytes.readUInt16BE(fixed + 8);
      if (start + length > bytes.length) throw new RangeError('a record ends after the message');
      const owner = names.at(offset);
      offset = start + length;
      const data = new RecordData(bytes.subarray(start, offset), start, names);
      return { owner, type: bytes.readUInt16BE(fixed), ttl: bytes.readUInt32BE(fixed + 4), data };
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
  };
}

/** The data of a record. Numbers and texts are read at an offset from its beginning. */
export class RecordData {
  constructor(
    readonly bytes: Buffer,
    private readonly start: number,
    private readonly names: Names,
  ) {}

  nameAt(offset: number): string {
    return this.names.at(this.start + offset);
  }

  /** Where the next field begins. */
  endOfNameAt(offset: number): number {
    return this.names.endOf(this.start + offset) - this.start;
  }

  /** A text with its length before it (RFC 1035 §3.3), which ends with the data. */
  stringAt(offset: number): Buffer {
    const end = offset + 1 + this.bytes.readUInt8(offset);
    if (end > this.bytes.length) throw new RangeError('a text ends after its record');
    return this.bytes.subarray(offset + 1, end);
  }
}

const POINTER = 0xc0;
const MAX_LABEL_BYTES = 63;
const MAX_NAME_BYTES = 255;
/** Of one name. Servers point once or twice. */
const MAX_POINTERS = 32;

interface Name {
  readonly text: string;
  /** As it would be without pointers. */
  readonly bytes: number;
}

const root: Name = { text: '', bytes: 1 };

/** The names of a message. What a pointer leads to is read once, so all names together take as long as the message is. */
class Names {
  readonly #pointedAt = new Map<number, Name>();

  constructor(private readonly bytes: Buffer) {}

  at(offset: number): string {
    return this.#read(offset, 0).text;
  }

  /** Where a name ends that begins here: after its last label, or after a pointer. */
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
      labels.push(labelOf(this.bytes.toString('utf8', at + 1, at + 1 + length)));
      at += 1 + length;
    }
    return joined(labels, at - offset, root);
  }

  #lengthAt(offset: number): number {
    const length = this.bytes.readUInt8(offset);
    if (length > MAX_LABEL_BYTES && length < POINTER) throw new RangeError('a label is malformed');
    return length;
  }

  /** Pointers lead back, so that none leads in a circle. */
  #follow(at: number, from: number, pointers: number): Name {
    const target = this.bytes.readUInt16BE(at) & 0x3fff;
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

/** Host names have no case (RFC 4343). A dot within a label is no boundary between two (RFC 1035 §5.1). */
function labelOf(text: string): string {
  return text.toLowerCase().replaceAll(/[\\.]/g, String.raw`\$&`);
}
