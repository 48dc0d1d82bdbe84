import type { DnsAnswer, DnsQuestionType } from '@pets/contracts';
import packets from 'dns-packet';
import { decodeReply, type DecodedReply, type RawRecord, type RecordData } from './decode-reply.js';

/** A question to a server. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: DnsQuestionType;
  /** True for resolvers; false for authoritative servers, which answer only from their own zones. */
  readonly isRecursive: boolean;
  /** RFC 4035 §3.2.2: a resolver answers without validation. Such an answer is evidence of nothing but a failed validation. */
  readonly isUnchecked?: boolean;
}

/** The content of a reply. */
export type DnsReply =
  | { readonly kind: 'answer'; readonly answer: DnsAnswer; readonly alias?: string }
  | { readonly kind: 'truncated' }
  /** The server does not support EDNS (RFC 6891 §7): repeat the question without it. */
  | { readonly kind: 'edns_rejected' };

/** A UDP reply of this size is not fragmented on any path (DNS flag day 2020). */
export const UDP_PAYLOAD_BYTES = 1_232;
const HEADER_BYTES = 12;
const IS_RESPONSE = 0x80;
const RCODE_MASK = 0x0f;
const rcodeNames = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
/** A CAA record set must be evaluated completely, so a larger one is not evaluated. Real ones have less than a kilobyte. */
const MAX_CAA_BYTES = 8_192;
/** Longer chains are a loop or a mistake. */
const MAX_ALIASES = 16;

/** Encodes a question with the id 0; set the id with `setId`. */
export function encodeQuestion({ name, type, isRecursive, isUnchecked }: DnsQuestion, hasEdns: boolean): Buffer {
  const flags = (isRecursive ? packets.RECURSION_DESIRED : 0) | (isUnchecked ? packets.CHECKING_DISABLED : 0);
  const extension = {
    type: 'OPT' as const,
    name: '.',
    udpPayloadSize: UDP_PAYLOAD_BYTES,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
  const additionals = hasEdns ? [extension] : [];
  return packets.encode({ type: 'query', id: 0, flags, questions: [{ name, type, class: 'IN' }], additionals });
}

export function setId(message: Buffer, id: number): void {
  message.writeUInt16BE(id, 0);
}

export function idOf(message: Buffer): number | null {
  return message.length < HEADER_BYTES ? null : message.readUInt16BE(0);
}

/**
 * Whether these bytes are a reply to this question: the id is the same and the question is repeated, regardless of letter
 * case (RFC 5452 §9.1). An error reply may omit the question.
 */
export function isReplyTo(reply: Buffer, question: Buffer): boolean {
  if (idOf(reply) !== idOf(question) || ((reply[2] ?? 0) & IS_RESPONSE) === 0) return false;
  const count = reply.readUInt16BE(4);
  if (count === 0) return ((reply[3] ?? 0) & RCODE_MASK) !== 0;
  const end = endOfQuestion(question);
  if (count !== 1 || reply.length < end) return false;
  for (let i = HEADER_BYTES; i < end; i += 1) if (lowerCase(reply[i]) !== lowerCase(question[i])) return false;
  return true;
}

/** Reads a reply. It never throws: a malformed reply is an answer of the kind `failed`. */
export function readReply(bytes: Buffer, question: DnsQuestion): DnsReply {
  let reply: DecodedReply;
  try {
    reply = decodeReply(bytes);
    if (reply.isTruncated) return { kind: 'truncated' };
    const rcodeName = rcodeNames[reply.rcode] ?? `RCODE${reply.rcode}`;
    if (rcodeName === 'FORMERR' || rcodeName === 'NOTIMP' || reply.extendedRcode !== 0)
      return { kind: 'edns_rejected' };
    if (rcodeName !== 'NOERROR' && rcodeName !== 'NXDOMAIN') {
      const reason = extendedErrorsOf(reply.additionals);
      return failed(reason === '' ? rcodeName : `${rcodeName} (${reason})`);
    }
    // A non-recursive answer without the authoritative flag, or a referral: the server does not have the zone.
    if (!question.isRecursive && !reply.isAuthoritative) return failed('does not serve the zone');
    return readAnswer(reply, question);
  } catch {
    return failed('the reply is malformed');
  }
}

/** Whether a resolver could not resolve the name, which it also says where its validation failed (RFC 4035 §5.5). */
export function isServfail(answer: DnsAnswer): boolean {
  return answer.kind === 'failed' && answer.error.startsWith('SERVFAIL');
}

export function failed(error: string): Extract<DnsReply, { kind: 'answer' }> {
  return { kind: 'answer', answer: { kind: 'failed', error } };
}

/** The server answered, but the answer exceeds a limit and was not read. */
export function tooLarge(error: string): Extract<DnsReply, { kind: 'answer' }> {
  return { kind: 'answer', answer: { kind: 'failed', error, reason: 'too_large' } };
}

/** Returns the records of the queried name, or of the name that its CNAMEs lead to. Other records are ignored. */
function readAnswer({ answers, authorities }: DecodedReply, question: DnsQuestion): DnsReply {
  let owner = hostOf(question.name);
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases += 1) {
    const own = answers.filter((record) => record.owner === owner);
    const alias = owner === hostOf(question.name) ? {} : { alias: escapeControls(owner) };
    if (question.type === 'CAA') {
      // Before the records are presented, which takes longest for a set that is not used.
      const sizes = own.filter(({ type }) => type === recordTypes.CAA).map(({ data }) => data.bytes.length);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      if (bytes > MAX_CAA_BYTES) return { ...tooLarge(`${sizes.length} records of ${bytes} bytes`), ...alias };
    }
    const records = own.flatMap((record) => presentRecord(record, question.type));
    if (records.length > 0) return { kind: 'answer', answer: { kind: 'found', records }, ...alias };
    const next = own.find(({ type }) => type === recordTypes.CNAME);
    if (next === undefined) return { kind: 'answer', answer: absence(authorities, owner), ...alias };
    owner = next.data.nameAt(0);
  }
  return failed('the CNAMEs form a loop');
}

/** RFC 2308 §5: a negative answer may be cached for the lesser of the SOA's TTL and its MINIMUM, the last field. */
function absence(authorities: DecodedReply['authorities'], owner: string): DnsAnswer {
  const soa = authorities.find(({ type }) => type === recordTypes.SOA);
  if (soa === undefined) return { kind: 'absent' };
  const zone = soa.owner;
  if (zone !== '' && zone !== owner && !owner.endsWith(`.${zone}`)) return { kind: 'absent' };
  const minimum = soa.data.bytes.readUInt32BE(soa.data.bytes.length - 4);
  return { kind: 'absent', ttl: Math.min(soa.ttl, minimum), zone: escapeControls(zone) };
}

function endOfQuestion(question: Buffer): number {
  let at = HEADER_BYTES;
  while ((question[at] ?? 0) !== 0) at += 1 + (question[at] ?? 0);
  // The root label, the type and the class.
  return at + 5;
}

function lowerCase(byte: number | undefined): number | undefined {
  return byte !== undefined && byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** The EDNS option of an extended DNS error (RFC 8914 §2). */
const EXTENDED_ERROR = 15;
const OPT = 41;
/** An explanation in the words of a stranger's server: enough for a sentence. */
const MAX_TEXT_CHARACTERS = 160;
/** A reply has one or two. */
const MAX_ERRORS = 4;

/** Names of RFC 8914 §4 for errors that say why a resolver fails. */
const errorNames: Readonly<Record<number, string>> = {
  1: 'Unsupported DNSKEY Algorithm',
  2: 'Unsupported DS Digest Type',
  5: 'DNSSEC Indeterminate',
  6: 'DNSSEC Bogus',
  7: 'Signature Expired',
  8: 'Signature Not Yet Valid',
  9: 'DNSKEY Missing',
  10: 'RRSIGs Missing',
  11: 'No Zone Key Bit Set',
  12: 'NSEC Missing',
  22: 'No Reachable Authority',
  23: 'Network Error',
};

/**
 * The extended errors of a reply in words, as `DNSSEC Bogus: no RRSIG`; empty without any. They explain a failure and decide
 * nothing: a server can send any code and any text, so both are bounded and escaped.
 * @throws RangeError if the options are malformed
 */
function extendedErrorsOf(additionals: readonly RawRecord[]): string {
  const options = additionals.find(({ type }) => type === OPT)?.data.bytes ?? Buffer.alloc(0);
  const errors: string[] = [];
  let length = 0;
  for (let at = 0; at < options.length && errors.length < MAX_ERRORS; at += 4 + length) {
    length = options.readUInt16BE(at + 2);
    if (options.readUInt16BE(at) === EXTENDED_ERROR) errors.push(wordsOf(options.subarray(at + 4, at + 4 + length)));
  }
  return errors.join('; ');
}

function wordsOf(option: Buffer): string {
  const code = option.readUInt16BE(0);
  // Some servers end the text with a NUL, which RFC 8914 §2 lets a receiver remove.
  const text = option.toString('utf8', 2).replace(/\0$/, '').slice(0, MAX_TEXT_CHARACTERS);
  const name = errorNames[code] ?? `extended error ${code}`;
  return text === '' ? name : `${name}: ${escapeControls(text)}`;
}

type Records = Extract<DnsAnswer, { kind: 'found' }>['records'];

/** RFC 1035 §3.2.2, RFC 3596 §2.1, RFC 8659 §4.1.1. */
const recordTypes = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, CAA: 257 } as const satisfies Record<
  DnsQuestionType,
  number
>;

/** A record in presentation form (RFC 1035 §5.1); empty if it has another type. */
export function presentRecord({ type, ttl, data }: RawRecord, wanted: DnsQuestionType): Records {
  return type === recordTypes[wanted] ? [{ value: escapeControls(valueOf(data, wanted)), ttl }] : [];
}

type CharacterCodes = ReadonlySet<number>;

const controls: CharacterCodes = new Set([...Array(0x20).keys(), 0x7f]);
const inQuotes = codesOf('"\\');
const inTags = codesOf(' "\\');

/** Escapes control characters as in a zone file (RFC 1035 §5.1), since a record can contain any byte. */
function escapeControls(value: string): string {
  return escaped(value, controls);
}

/** A loop, since all 60 KB may be special: `replaceAll` would call a function for each, which takes five times as long. */
function escaped(value: string, special: CharacterCodes): string {
  let text = '';
  let start = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (!special.has(code)) continue;
    text += `${value.slice(start, at)}\\${String(code).padStart(3, '0')}`;
    start = at + 1;
  }
  return text + value.slice(start);
}

function codesOf(characters: string): CharacterCodes {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)));
}

/** Normalizes a host name, which is case-insensitive (RFC 4343), without its final dot. */
function hostOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function valueOf(data: RecordData, type: DnsQuestionType): string {
  switch (type) {
    case 'A':
      return addressOf(data.bytes, 4).join('.');
    case 'AAAA':
      return ipv6Of(addressOf(data.bytes, 16));
    case 'CNAME':
    case 'NS':
      return data.nameAt(0);
    case 'TXT':
      return textOf(data);
    case 'CAA':
      return caaOf(data);
    case 'SOA':
      return soaOf(data);
  }
}

function addressOf(bytes: Buffer, length: number): number[] {
  if (bytes.length !== length) throw new RangeError('an address has another length');
  return [...bytes];
}

/** The canonical form of RFC 5952, from the URL parser. */
function ipv6Of(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_group, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1);
}

/** Concatenates the strings of a TXT record (as RFC 7208 §3.3 does). A character may be split between two of them. */
function textOf(data: RecordData): string {
  const strings: Buffer[] = [];
  for (let offset = 0; offset < data.bytes.length;) {
    const text = data.stringAt(offset);
    strings.push(text);
    offset += 1 + text.length;
  }
  return Buffer.concat(strings).toString();
}

/** RFC 8659 §4.1.1: flags, the tag with its length, and the value, which is the rest. */
function caaOf(data: RecordData): string {
  const tag = data.stringAt(1);
  const value = data.bytes.toString('utf8', 2 + tag.length);
  return `${data.bytes.readUInt8(0)} ${escaped(tag.toString(), inTags)} "${escaped(value, inQuotes)}"`;
}

function soaOf(data: RecordData): string {
  const second = data.endOfNameAt(0);
  const numbers = data.endOfNameAt(second);
  const fields = [0, 4, 8, 12, 16].map((at) => data.bytes.readUInt32BE(numbers + at));
  return [data.nameAt(0), data.nameAt(second), ...fields].join(' ');
}
