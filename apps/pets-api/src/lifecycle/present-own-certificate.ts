import type { OwnCertificate } from '@pets/contracts';
import type { OwnCertificateRow } from '../certificates/own/own-certificates.repository.js';

/** An uploaded certificate as the API returns it. @param isServed whether visitors get it */
export function presentOwnCertificate(own: OwnCertificateRow, isServed: boolean): OwnCertificate {
  return {
    id: own.id,
    state: own.state,
    isServed,
    prefer: own.isPreferred ? 'own' : 'automatic',
    trust: own.trust,
    names: own.names,
    issuer: own.issuer,
    notBefore: own.notBefore.toISOString(),
    notAfter: own.notAfter.toISOString(),
    fingerprint: own.leafSha256,
    uploadedAt: own.createdAt.toISOString(),
    revocation: {
      result: own.checkResult,
      checkedAt: own.checkedAt?.toISOString() ?? null,
      detail: own.checkDetail,
    },
  };
}
