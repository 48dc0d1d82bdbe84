import type { DnsAnswer } from '@pets/contracts';
import type { Answer } from 'dns-packet';

type Records = Extract<DnsAnswer, { kind: 'found' }>['records'];

/** A record as it is written down; none for a type that is never asked for. */
export function presentRecord(record: Answer): Records {
  const value = valueOf(record);
  return value === null ? [] : [{ value: spelledOut(value), ttl: 'ttl' in record ? (record.ttl ?? null) : null }];
}

/** Anybody can put any byte into a record; control characters are written as master files have them (RFC 1035 §5.1). */
function spelledOut(value: string): string {
  return value.replaceAll(/[\u0000-\u001f\u007f]/g, (character) => {
    return `\\${String(character.charCodeAt(0)).padStart(3, '0')}`;
  });
}

/** Host names have no case (RFC 4343), and the final dot is a way of writing. */
export function hostOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function valueOf(record: Answer): string | null {
  if (record.type === 'A' || record.type === 'AAAA') return record.data.toLowerCase();
  if (record.type === 'CNAME' || record.type === 'NS') return hostOf(record.data);
  if (record.type === 'TXT') return textOf(record.data);
  if (record.type === 'CAA') return `${record.data.flags ?? 0} ${record.data.tag} "${record.data.value}"`;
  if (record.type !== 'SOA') return null;
  const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = record.data;
  return [hostOf(mname), hostOf(rname), serial, refresh, retry, expire, minimum].join(' ');
}

/** The strings of a TXT belong together (RFC 7208 §3.3 spells it out for one use), also where a character is split. */
function textOf(data: Extract<Answer, { type: 'TXT' }>['data']): string {
  const strings = Array.isArray(data) ? data : [data];
  return Buffer.concat(strings.map((part) => Buffer.from(part))).toString();
}
