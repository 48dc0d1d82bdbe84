import type { Domain, SetupDomain } from '@pets/contracts';

/** A domain as its owner sees it by a set-up link: chosen field by field, so that a new field of a domain is not shown. */
export function presentSetupDomain(domain: Domain): SetupDomain {
  const { certificate, ownCertificate: own } = domain;
  const served =
    own?.isServed === true ? { state: 'issued' as const, issuer: own.issuer, notAfter: own.notAfter } : null;
  return {
    name: domain.name,
    unicodeName: domain.unicodeName,
    apexName: domain.apexName,
    state: domain.state,
    misconfigured: domain.misconfigured,
    createdAt: domain.createdAt,
    verifiedAt: domain.verifiedAt,
    liveAt: domain.liveAt,
    records: domain.records,
    dns: domain.dns,
    ownership: domain.ownership,
    readiness: domain.readiness,
    certificate:
      served ??
      (certificate && { state: certificate.state, issuer: certificate.issuer, notAfter: certificate.notAfter }),
    isSuspended: domain.suspensions.length > 0,
    // They are between the operator and the organization.
    issues: domain.issues.filter(({ area }) => area !== 'plan' && area !== 'suspension'),
  };
}
