import type { DnsFindings, ObservedRecord } from '@pets/contracts';
import { isWildcardProbe } from './probes.js';

/**
 * The records that a check found, as shown to the owner, each with the server that gave it. Our own target's addresses and
 * what a sibling nobody has made shows are left out.
 */
export function observedRecords(findings: DnsFindings, targetHost: string): ObservedRecord[] {
  return findings.lookups.flatMap((lookup) =>
    lookup.answer.kind === 'found' && lookup.name !== targetHost && !isWildcardProbe(lookup.name)
      ? lookup.answer.records.map(({ value, ttl }) => ({
          type: lookup.type,
          name: lookup.alias ?? lookup.name,
          value,
          ttl,
          resolver: lookup.server,
        }))
      : [],
  );
}
