import type { DomainIssue, RequiredRecord, Setup, SetupDomain } from '@pets/contracts';

const record: RequiredRecord = {
  ...{ type: 'CNAME', name: 'docs', ttl: 3600, purpose: 'routing' },
  value: 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example',
};

/** A domain that waits for its record, but for the given parts. For tests. */
export function exampleDomain(parts: Partial<SetupDomain> = {}): SetupDomain {
  return {
    ...{ name: 'docs.example.com', unicodeName: 'docs.example.com', apexName: 'example.com', state: 'awaiting_dns' },
    ...{ createdAt: '2026-11-02T09:10:00.000Z', verifiedAt: null, liveAt: null },
    ...{ misconfigured: false, isSuspended: false, certificate: null, readiness: null, issues: [] },
    records: [record],
    dns: { requestedAt: null, checkedAt: null, nextCheckAt: null, nameServers: [], observed: [], conflicts: [] },
    ownership: { required: false, state: 'not_required', record: null },
    ...parts,
  };
}

/** A set-up of domains. For tests. */
export function exampleSetup(...domains: SetupDomain[]): Setup {
  return {
    domains: domains.length === 0 ? [exampleDomain()] : domains,
    ...{ name: 'Acme', color: '#1a5fb4', supportAddress: 'help@acme.example', logo: null, returnUrl: null },
    platform: 'pets.example',
    expiresAt: '2026-11-09T09:00:00.000Z',
  };
}

/** A conflicting A record, but for the given parts. For tests. */
export function exampleIssue(parts: Partial<DomainIssue> = {}): DomainIssue {
  return {
    ...{ code: 'conflicting_a', title: 'conflicting A record', area: 'dns', severity: 'error' },
    ...{ blocking: true, resolvesAutomatically: false, message: '', cause: null, remediation: '', evidence: {} },
    ...parts,
  };
}
