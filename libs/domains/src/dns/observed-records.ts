import type { DnsFindings, ObservedRecord } from '@pets/contracts';

/** The records that a check found, as shown to the owner. Our own target's addresses are left out. */
export function observedRecords(findings: DnsFindings, targetHost: string): ObservedRecord[] {
  return findings.lookups.flatMap(({ type, name, server, answer }) =>
    answer.kind === 'found' && name !== targetHost
      ? answer.records.map(({ value, ttl }) => ({ type, name, value, ttl, resolver: server }))
      : [],
  );
}
