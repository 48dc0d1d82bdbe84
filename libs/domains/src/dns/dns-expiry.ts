import type { DnsFindings, DnsLookup, ExpectedDns } from '@pets/contracts';
import { isDoubledName, isWildcardProbe } from './probes.js';

/**
 * When the last of these servers forgets what it has said: a record by its TTL, "there is none" by the SOA that came with
 * it (RFC 2308 §5). Null where no cache is behind it: a zone's own server that lags is out of date for another reason.
 */
export function expiryOfStale(
  { lookups, checkedAt }: DnsFindings,
  expected: ExpectedDns,
  servers: readonly string[],
): string | null {
  const ends = lookups
    .filter(({ server, isAuthoritative }) => !isAuthoritative && servers.includes(server))
    .filter(({ name, type }) => type !== 'TXT' && !isBeside(name, expected))
    .flatMap((lookup) => ttlsOf(lookup).map((ttl) => Date.parse(lookup.at ?? checkedAt) + ttl * 1_000));
  return ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString();
}

/** What was asked for another reason than to learn where the name points. */
function isBeside(name: string, expected: ExpectedDns): boolean {
  return name === expected.targetHost || isWildcardProbe(name) || isDoubledName(name, expected);
}

function ttlsOf({ answer }: DnsLookup): number[] {
  switch (answer.kind) {
    case 'found':
      return answer.records.flatMap(({ ttl }) => (ttl === null ? [] : [ttl]));
    case 'absent':
      return answer.ttl === undefined ? [] : [answer.ttl];
    case 'failed':
      return [];
  }
}
