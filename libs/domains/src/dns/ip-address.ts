/** An address as a number, independent of its spelling. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** Reads an IPv4 address in four decimal parts, or an IPv6 address in any spelling (RFC 4291 §2.2); null for all else. */
export function parseIpAddress(text: string): IpAddress | null {
  if (!text.includes(':')) {
    const bits = parseIpv4(text);
    return bits === null ? null : { family: 4, bits };
  }
  const bits = parseIpv6(text);
  return bits === null ? null : { family: 6, bits };
}

/** Whether two texts are the same address: `2001:DB8::7` is `2001:db8:0::7`. */
export function isSameAddress(one: string, other: string): boolean {
  return addressKey(one) === addressKey(other);
}

/** A key that is the same for all spellings of an address. Text that is not an address is its own key. */
export function addressKey(text: string): string {
  const address = parseIpAddress(text);
  return address === null ? text : `${address.family} ${address.bits}`;
}

/** Whether an address lies in a range such as `192.0.2.0/24`. */
export function isInRange(address: string, range: string): boolean {
  const slash = range.indexOf('/');
  const ip = parseIpAddress(address);
  const network = parseIpAddress(range.slice(0, slash));
  if (ip === null || network === null || ip.family !== network.family) return false;
  const host = BigInt((ip.family === 4 ? 32 : 128) - Number(range.slice(slash + 1)));
  return ip.bits >> host === network.bits >> host;
}

/** The type of the record that an address needs. */
export function recordTypeOf(address: string): 'A' | 'AAAA' {
  return address.includes(':') ? 'AAAA' : 'A';
}

function parseIpv4(text: string): bigint | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return null;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | null {
  const dotted = /(?<=:)\d+\.\d+\.\d+\.\d+$/.exec(text);
  if (dotted !== null) {
    const v4 = parseIpv4(dotted[0]);
    const head = text.slice(0, dotted.index);
    return v4 === null ? null : parseIpv6(`${head}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`);
  }
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = [groupsOf(halves[0]), groupsOf(halves[1])];
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function groupsOf(half = ''): readonly string[] {
  return half === '' ? [] : half.split(':');
}
