import {
  isWildcard,
  type CertificateChoice,
  type DomainCertificate,
  type DomainIssue,
  type OwnCertificate,
} from '@pets/contracts';
import { chooseCertificate, mayRenew, type QueuePosition } from '@pets/domains';
import type { DomainCertificates } from '../certificates/certificates.repository.js';
import type { OwnCertificateRow } from '../certificates/own/own-certificates.repository.js';
import type { DomainRow } from '../names/domain-row.js';
import type { WorkRow } from '../schedule/work.repository.js';

export interface CertificateParts {
  readonly domain: DomainRow;
  readonly work: readonly WorkRow[];
  readonly certificates: DomainCertificates;
  /** The place of its order in the queue of a CA, while it waits there. */
  readonly queue: QueuePosition | undefined;
  readonly now: Date;
}

/**
 * The certificates of a domain as the API returns them, and which of them visitors get. Of uploads it is the newest: visitors
 * may get an older one while that is being checked, or if it is revoked.
 */
export function presentCertificates(parts: CertificateParts): CertificateChoice {
  const { automatic, own, uploads } = parts.certificates;
  const source = chooseCertificate(own, automatic, parts.now);
  const [newest] = uploads;
  return {
    source,
    own: newest === undefined ? null : presentUpload(newest, newest.state === 'active' && source === 'own'),
    automatic: presentAutomatic(parts),
  };
}

function presentAutomatic({ domain, work, certificates, queue, now }: CertificateParts): DomainCertificate | null {
  const { automatic } = certificates;
  const entry = work.find(({ kind }) => kind === 'issuance');
  const limited = domain.certificateIssues.find(({ code }) => code === 'ca_rate_limited');
  const isRateLimited = limited !== undefined;
  const nextAttemptAt = (queue?.expectedAt ?? entry?.dueAt ?? parkedUntil(limited, now))?.toISOString() ?? null;
  const progress = {
    attempts: entry?.attempt ?? 0,
    nextAttemptAt: mayRenew(domain.suspensions, now) ? nextAttemptAt : null,
    rateLimitedUntil: isRateLimited || queue !== undefined ? nextAttemptAt : null,
  };
  if (automatic !== null) {
    return {
      state: automatic.notAfter <= now ? 'expired' : 'issued',
      method: automatic.method,
      issuer: automatic.issuer,
      notBefore: automatic.notBefore.toISOString(),
      notAfter: automatic.notAfter.toISOString(),
      renewAt: progress.nextAttemptAt,
      ...progress,
    };
  }
  const isPreparing = domain.state === 'awaiting_dns' && domain.delegatedAt !== null && domain.preparedAt !== null;
  if (domain.state !== 'verified' && !isPreparing) return null;
  const state = domain.certificateIssues.some(({ severity }) => severity === 'error') ? 'failed' : 'pending';
  return {
    state,
    method: isPreparing || isWildcard(domain.name) ? 'dns-01' : 'http-01',
    issuer: null,
    notBefore: null,
    notAfter: null,
    renewAt: null,
    ...progress,
  };
}

/** An order that waits for its registered domain is not due; its issue has the time at which the CA allows one. */
function parkedUntil(issue: DomainIssue | undefined, now: Date): Date | null {
  const until = new Date(String(issue?.evidence['until']));
  return until > now ? until : null;
}

/** @param isServed whether visitors get it */
function presentUpload(own: OwnCertificateRow, isServed: boolean): OwnCertificate {
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
