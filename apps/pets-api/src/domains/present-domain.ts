import type { Domain, DomainCertificate } from '@pets/contracts';
import { alertIssue, ownershipRecord, routingRecord, targetHostFor } from '@pets/domains';
import type { IssuedCertificate } from '../certificates/certificates.repository.js';
import { factsOf } from './domain-facts.js';
import type { DomainRow } from './domain-row.js';
import type { WorkRow } from './work.repository.js';

export interface DomainParts {
  readonly domain: DomainRow;
  readonly work: readonly WorkRow[];
  readonly certificate: IssuedCertificate | undefined;
  readonly pendingEdges: number;
  readonly platformDomain: string;
  readonly reverifyAfterSeconds: number;
  readonly now: Date;
}

/** A domain as its owner reads it: everything in one answer. */
export function presentDomain(parts: DomainParts): Domain {
  const { domain, work, certificate, pendingEdges, platformDomain, now } = parts;
  const named = {
    name: domain.name,
    apexName: domain.apexName,
    targetHost: targetHostFor(domain.targetToken, platformDomain),
  };
  const proof = domain.needsOwnershipProof ? ownershipRecord(named, domain.ownershipToken) : null;
  const dnsClock = work.find(({ kind }) => kind === 'dns');
  return {
    id: domain.id,
    name: domain.name,
    unicodeName: domain.unicodeName,
    apexName: domain.apexName,
    projectId: domain.projectId,
    state: domain.state,
    misconfigured: domain.misconfigured,
    createdAt: domain.createdAt.toISOString(),
    verifiedAt: textOf(domain.verifiedAt),
    liveAt: textOf(domain.liveAt),
    removedAt: textOf(domain.removedAt),
    pendingEdges,
    pairedWith: domain.pairedWith,
    records: [routingRecord(named), ...(proof === null ? [] : [proof])],
    dns: {
      requestedAt: textOf(domain.requestedAt),
      checkedAt: textOf(domain.checkedAt),
      nextCheckAt: textOf(dnsClock?.dueAt),
      nameServers: domain.nameServers,
      observed: domain.observed,
      conflicts: domain.conflicts,
    },
    ownership: {
      required: domain.needsOwnershipProof,
      state: !domain.needsOwnershipProof ? 'not_required' : domain.ownershipProvenAt === null ? 'pending' : 'proven',
      record: proof,
    },
    certificate: presentCertificate(
      domain,
      work.find(({ kind }) => kind === 'issuance'),
      certificate,
      now,
    ),
    issues: issuesOf(parts),
  };
}

/** What checks and attempts have found, and what is to be said of the certificate by now. */
function issuesOf({ domain, work, certificate, ...circumstances }: DomainParts): Domain['issues'] {
  const facts = factsOf(
    domain,
    { ...circumstances, clocks: work, certificate: certificate ?? null, ordersAt: [] },
    null,
  );
  const alert = alertIssue(facts, circumstances.now);
  return [...domain.dnsIssues, ...domain.certificateIssues, ...(alert === null ? [] : [alert])];
}

function presentCertificate(
  domain: DomainRow,
  clock: WorkRow | undefined,
  certificate: IssuedCertificate | undefined,
  now: Date,
): DomainCertificate | null {
  const isRateLimited = domain.certificateIssues.some(({ code }) => code === 'ca_rate_limited');
  const progress = {
    attempts: clock?.attempt ?? 0,
    nextAttemptAt: textOf(clock?.dueAt),
    rateLimitedUntil: isRateLimited ? textOf(clock?.dueAt) : null,
  };
  if (certificate !== undefined) {
    return {
      state: certificate.notAfter <= now ? 'expired' : 'issued',
      issuer: certificate.issuer,
      notBefore: certificate.notBefore.toISOString(),
      notAfter: certificate.notAfter.toISOString(),
      renewAt: progress.nextAttemptAt,
      ...progress,
    };
  }
  if (domain.state !== 'verified') return null;
  const state = domain.certificateIssues.some(({ severity }) => severity === 'error') ? 'failed' : 'pending';
  return { state, issuer: null, notBefore: null, notAfter: null, renewAt: null, ...progress };
}

function textOf(date: Date | null | undefined): string | null {
  return date?.toISOString() ?? null;
}
