/**
 * The name a visitor asked for, as the route table spells it: lower case, without port and without the root's dot.
 * Undefined for what can be no host of ours (an IPv6 literal, user info, an empty text).
 */
export function normalizeHost(raw: string): string | undefined {
  const name = /^([A-Za-z0-9_-][A-Za-z0-9_.-]{0,252}?)\.?(?::\d{1,5})?$/.exec(raw)?.[1];
  return name?.toLowerCase();
}

/** Whether `*.<domain>` covers the host: exactly one label below it (RFC 6125 §6.4.3). */
export function isDirectSubdomain(host: string, domain: string): boolean {
  const label = host.endsWith(`.${domain}`) ? host.slice(0, -domain.length - 1) : '';
  return label !== '' && !label.includes('.');
}
