import { isIPv4, isIPv6 } from 'node:net';
import type { Answer } from 'dns-packet';

/** An ALIAS is on no wire: the server answers with the addresses of its target. */
export const recordTypes = ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'CAA', 'NS', 'MX', 'SOA'] as const;
export type ZoneRecordType = (typeof recordTypes)[number];

export type ZoneRecord = {
  /** Lower case, no trailing dot. */
  readonly name: string;
  readonly type: ZoneRecordType;
  /** Data in the format of a zone file. */
  readonly data: string;
  readonly ttl: number;
};

/** One part of a TXT record holds at most 255 bytes (RFC 1035 §3.3). */
const TXT_PART_BYTES = 255;
const MAX_TXT_BYTES = 60_000;

/** The names of DNS know no case, and a trailing dot is only a way of writing. */
export function canonicalName(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, '');
}

/** Labels of 1 to 63 bytes, 253 in all; underscores and the leftmost `*` are names like any other here. */
export function isDnsName(name: string): boolean {
  return name.length <= 253 && /^(?:\*|[a-z0-9_-]{1,63})(?:\.[a-z0-9_-]{1,63})*$/.test(name);
}

/**
 * Reads a record's data as a zone file would have it.
 * @throws Error saying what was expected
 */
export function toAnswer({ name, type, data, ttl }: ZoneRecord): Answer {
  const text = data.trim();
  switch (type) {
    case 'A':
      if (!isIPv4(text)) throw new Error(`an A record's data is an IPv4 address, such as 203.0.113.7`);
      return { name, type, ttl, data: text };
    case 'AAAA':
      if (!isIPv6(text)) throw new Error(`an AAAA record's data is an IPv6 address, such as 2001:db8::7`);
      return { name, type, ttl, data: text };
    case 'CNAME':
    case 'NS':
      return { name, type, ttl, data: targetName(type, text) };
    case 'ALIAS':
      return { name, type: 'CNAME', ttl, data: targetName(type, text) };
    case 'TXT':
      return { name, type, ttl, data: txtParts(text) };
    case 'CAA':
      return { name, type, ttl, data: caa(text) };
    case 'MX':
      return { name, type, ttl, data: mx(text) };
    case 'SOA':
      return { name, type, ttl, data: soa(text) };
  }
}

function targetName(type: ZoneRecordType, text: string): string {
  const target = canonicalName(text);
  if (!isDnsName(target)) throw new Error(`the data of a ${type} record names a host, such as target.example.`);
  return target;
}

/** Either one bare text, or quoted parts as in `"first" "second"`. Parts that are too long are split, never cut. */
function txtParts(text: string): Buffer[] {
  const bytes = text.startsWith('"') ? quotedParts(text).map(unescaped) : [Buffer.from(text)];
  if (bytes.reduce((sum, part) => sum + part.length, 0) > MAX_TXT_BYTES) throw new Error(`a TXT record is too long`);
  return bytes.flatMap(splitPart);
}

function quotedParts(text: string): string[] {
  if (!/^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/s.test(text)) {
    throw new Error(`a TXT record's data is a text, or parts in double quotes, such as "first" "second"`);
  }
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, part = '']) => part);
}

/** RFC 1035 §5.1: `\` and three digits are the byte of that number, `\` and another character is that character. */
function unescaped(text: string): Buffer {
  const parts = text.split(/(\\\d{3}|\\[^])/);
  return Buffer.concat(
    parts.map((part, index) => {
      if (index % 2 === 0) return Buffer.from(part);
      const code = Number(part.slice(1));
      if (part.length === 2) return Buffer.from(part.slice(1));
      if (code > 255) throw new Error(`${part} is no byte, in the data of a TXT or CAA record`);
      return Buffer.from([code]);
    }),
  );
}

function splitPart(part: Buffer): Buffer[] {
  const count = Math.max(1, Math.ceil(part.length / TXT_PART_BYTES));
  return Array.from({ length: count }, (_, index) =>
    part.subarray(index * TXT_PART_BYTES, (index + 1) * TXT_PART_BYTES),
  );
}

/** RFC 8659 §4.1: flags, a tag of letters and digits, and a value. The package writes values as UTF-8. */
function caa(text: string) {
  const match = /^(\d{1,3})\s+([A-Za-z0-9]+)\s+(?:"((?:[^"\\]|\\.)*)"|(\S+))$/.exec(text);
  const flags = Number(match?.[1]);
  if (!match || flags > 255)
    throw new Error(`a CAA record's data is flags, tag and value, such as 0 issue "ca.example"`);
  const value = unescaped(match[3] ?? match[4] ?? '').toString();
  // The package's type knows three tags; on the wire any may stand, and an unknown critical one is worth a test.
  return { flags, tag: match[2] as 'issue', value };
}

function mx(text: string) {
  const match = /^(\d{1,5})\s+(\S+)$/.exec(text);
  if (!match) throw new Error(`an MX record's data is a preference and a host, such as 10 mail.example.`);
  return { preference: Number(match[1]), exchange: targetName('MX', match[2] ?? '') };
}

function soa(text: string) {
  const [mname = '', rname = '', ...numbers] = text.split(/\s+/);
  const [serial, refresh, retry, expire, minimum] = numbers.map(Number);
  if (numbers.length !== 5 || !numbers.every((part) => /^\d{1,10}$/.test(part))) {
    throw new Error(
      `an SOA record's data is two names and five numbers, such as ns.example. admin.example. 1 60 60 60 60`,
    );
  }
  return { mname: targetName('SOA', mname), rname: targetName('SOA', rname), serial, refresh, retry, expire, minimum };
}
