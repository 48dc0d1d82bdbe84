/**
 * A host name as the route table contains it: lower case, without a port and a trailing dot.
 * @returns undefined for text that cannot be a host of a site (an IPv6 literal, user info, an empty text)
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
