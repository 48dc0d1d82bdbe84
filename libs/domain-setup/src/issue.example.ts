import type { DomainIssue } from '@pets/contracts';

/** A conflicting A record, but for the given parts. For tests. */
export function exampleIssue(parts: Partial<DomainIssue> = {}): DomainIssue {
  return {
    ...{ code: 'conflicting_a', title: 'conflicting A record', area: 'dns', severity: 'error' },
    ...{ blocking: true, resolvesAutomatically: false, message: '', cause: null, remediation: '', evidence: {} },
    ...parts,
  };
}
