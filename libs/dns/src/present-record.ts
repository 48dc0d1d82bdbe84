import type { DnsAnswer, DnsQuestionType } from '@pets/contracts';
import type { RawRecord, RecordData } from './decode-reply.js';

type Records = Extract<DnsAnswer, { kind: 'found' }>['records'];

/** RFC 1035 §3.2.2, RFC 3596 §2.1, RFC 8659 §4.1.1. */
export const recordTypes = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, CAA: 257 } as const satisfies Record<
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
export function escapeControls(value: string): string {
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
export function hostOf(name: string): string {
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
