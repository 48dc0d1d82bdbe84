/**
 * The key of limits per address: an IPv4 address, or the /64 of an IPv6 address, because one subscriber has a complete /64
 * (RFC 6177 §2) and could use a new address each time. An IPv4-mapped IPv6 address counts as IPv4.
 */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [unscoped = ''] = address.split('%', 1);
  const [head = '', tail] = unscoped.split('::', 2);
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
