import {
  isWildcard,
  wildcardOf,
  type CertificateChoice,
  type Domain,
  type DomainCertificate,
  type DomainIssue,
  type OwnCertificate,
  type RequiredRecord,
} from '@pets/contracts';
import {
  alertIssue,
  alternativeRecords,
  chooseCertificate,
  delegationRecord,
  evaluateReadiness,
  fitsInDns,
  isApexOf,
  later,
  mayRenew,
  ownershipHostFor,
  ownershipRecord,
  planIssue,
  queueIssue,
  renewalEndIssue,
  routingRecord,
  suspensionIssues,
  targetHostFor,
  uploadedCertificateIssue,
  type DomainFacts,
  type QueuePosition,
} from '@pets/domains';
import { presentSuspensions } from '../access/suspensions/suspensions.js';
import type { IssuedCertificate } from '../certificates/certificates.repository.js';
import type { OwnCertificateRow } from '../certificates/own/own-certificates.repository.js';
import type { DomainRow } from '../names/domain-row.js';
import { delegationOf, type DnsZones } from '../names/expected-dns.js';
import type { WorkRow } from '../schedule/work.repository.js';
import { factsOf } from './domain-context.js';

export interface DomainParts {
  readonly domain: DomainRow;
  readonly work: readonly WorkRow[];
  readonly certificate: IssuedCertificate | undefined;
  /** Uploaded certificates that are shown, the newest first. */
  readonly uploads: readonly OwnCertificateRow[];
  readonly pendingEdges: number;
  /** The place of its order in the queue of a CA, while it waits there. */
  readonly queue: QueuePosition | undefined;
  readonly zones: DnsZones;
  /** Our addresses that may be in records. */
  readonly offered: readonly string[];
  readonly reverifyAfterSeconds: number;
  readonly prepareMaxDays: number;
  readonly planGraceDays: number;
  readonly now: Date;
}

/** A domain as the API returns it. */
export function presentDomain(parts: DomainParts): Domain {
  const { domain, work, pendingEdges, zones } = parts;
  const records = requiredRecords(domain, zones, parts.offered);
  const proof = records.find(({ purpose }) => purpose === 'ownership') ?? null;
  const dnsWork = work.find(({ kind }) => kind === 'dns');
  const facts = presentedFacts(parts);
  return {
    id: domain.id,
    name: domain.name,
    unicodeName: domain.unicodeName,
    apexName: domain.apexName,
    projectId: domain.projectId,
    externalId: domain.externalId,
    metadata: domain.metadata ?? {},
    state: domain.state,
    misconfigured: domain.misconfigured,
    createdAt: domain.createdAt.toISOString(),
    verifiedAt: textOf(domain.verifiedAt),
    liveAt: textOf(domain.liveAt),
    removedAt: textOf(domain.removedAt),
    pendingEdges,
    pairedWith: domain.pairedWith,
    coveredBy: domain.wildcardTargetToken === null ? null : (wildcardOf(domain.name) ?? null),
    exclusions: isWildcard(domain.name) ? (domain.excludedNames ?? []) : null,
    records,
    dns: {
      // That of an unwatched name is earlier, so that it is polled less often.
      requestedAt: textOf(later(domain.requestedAt, domain.createdAt)),
      checkedAt: textOf(work.reduce((at, { checkedAt }) => newer(at, checkedAt), domain.checkedAt)),
      nextCheckAt: textOf(dnsWork?.dueAt),
      nameServers: domain.nameServers,
      observed: domain.observed,
      conflicts: domain.conflicts,
    },
    ownership: {
      required: proof !== null,
      state: proof === null ? 'not_required' : domain.ownershipProvenAt === null ? 'pending' : 'proven',
      record: proof,
    },
    certificate: presentCertificate(parts),
    ...presentUploaded(parts),
    readiness: evaluateReadiness(facts, domain.suspensions.length > 0, parts.now),
    suspensions: presentSuspensions(domain.suspensions),
    issues: issuesOf(parts, facts),
  };
}

/**
 * The records to create: the routing record, the proof of ownership where it is needed, and the delegation where challenges
 * can be delegated.
 * @param offered our addresses that may stand in place of the routing record
 */
export function requiredRecords(
  domain: DomainRow,
  zones: DnsZones,
  offered: readonly string[],
): readonly RequiredRecord[] {
  const { name, apexName, zone, targetToken, ownershipToken } = domain;
  const named = { name, apexName, zone, targetHost: targetHostFor(targetToken, zones.PLATFORM_DOMAIN) };
  const proof = requiresProof(domain) ? [ownershipRecord(named, ownershipToken)] : [];
  const delegation = delegationOf(domain, zones);
  // The record of the organization's own wildcard leads here as well.
  const isCovered = domain.state !== 'removed' && domain.wildcardTargetToken !== null;
  const record = routingRecord(named);
  const alternatives =
    domain.state === 'removed' ? undefined : alternativeRecords(record, offered, showsAddresses(domain));
  const routing = { ...record, ...(isCovered && { optional: true as const }), ...(alternatives && { alternatives }) };
  return [routing, ...proof, ...(delegation === null ? [] : [delegationRecord(named, delegation)])];
}

/** Whether a check has seen our addresses at the name instead of the CNAME. */
function showsAddresses({ matchedAddresses, dnsIssues }: DomainRow): boolean {
  return matchedAddresses !== null || dnsIssues.some(({ code }) => code === 'flattened');
}

/**
 * Whether the instructions include the TXT record. For an apex they do from the start, since an ALIAS leaves only addresses
 * in DNS; where its `www.` name can prove the ownership, only after a check has found that it does not. For any other name
 * they do once a check has seen our addresses there. A verified domain does not need the record: it is shown where it was the
 * proof.
 */
function requiresProof(domain: DomainRow): boolean {
  if (domain.ownershipProvenAt !== null) return true;
  if (domain.state !== 'awaiting_dns' || !fitsInDns(ownershipHostFor(domain.name))) return false;
  if (domain.hasOtherClaims) return true;
  const isProofMissing = domain.dnsIssues.some(({ code }) => code === 'ownership_txt_missing');
  return isProofMissing || (isApexOf(domain) && domain.wwwTargetToken === null);
}

/** Both certificates of a domain, and which of them visitors get. */
export function presentCertificates(parts: DomainParts): CertificateChoice {
  return {
    source: sourceOf(parts),
    own: presentUploaded(parts).ownCertificate ?? null,
    automatic: presentCertificate(parts),
  };
}

/** The newest upload. Visitors may get an older one while this one is being checked, or if it is revoked. */
function presentUploaded(parts: DomainParts): { ownCertificate?: OwnCertificate } {
  const [newest] = parts.uploads;
  if (newest === undefined) return {};
  return { ownCertificate: presentOwnCertificate(newest, newest.state === 'active' && sourceOf(parts) === 'own') };
}

function sourceOf({ certificate, uploads, now }: DomainParts): CertificateChoice['source'] {
  return chooseCertificate(activeOf(uploads), certificate ?? null, now);
}

function activeOf(uploads: DomainParts['uploads']): OwnCertificateRow | null {
  return uploads.find(({ state }) => state === 'active') ?? null;
}

function presentedFacts({ domain, work, certificate, uploads, ...context }: DomainParts): DomainFacts {
  const certificates = { certificate: certificate ?? null, own: activeOf(uploads) };
  return factsOf(domain, { ...context, ...certificates, entries: work, ordersAt: [] }, null);
}

/** The issues of checks and attempts, of suspensions and the plan, and of an expiring certificate. */
function issuesOf(
  { domain, uploads: [newest], queue, planGraceDays, now }: DomainParts,
  facts: DomainFacts,
): Domain['issues'] {
  const alert = alertIssue(facts, now);
  const suspended = suspensionIssues(domain.name, presentSuspensions(domain.suspensions));
  const ending = planIssue(domain, planGraceDays);
  const queued = queue === undefined ? null : queueIssue(queue, now);
  const ended = renewalEndIssue(facts, now);
  const uploaded = newest === undefined ? null : uploadedCertificateIssue(domain.name, newest);
  return [
    ...suspended,
    ending,
    ...domain.dnsIssues,
    ...domain.certificateIssues,
    uploaded,
    ended,
    queued,
    alert,
  ].filter((issue) => issue !== null);
}

/** The automatic certificate. */
function presentCertificate({ domain, work, certificate, queue, now }: DomainParts): DomainCertificate | null {
  const entry = work.find(({ kind }) => kind === 'issuance');
  const limited = domain.certificateIssues.find(({ code }) => code === 'ca_rate_limited');
  const isRateLimited = limited !== undefined;
  const nextAttemptAt = queue?.expectedAt ?? entry?.dueAt ?? parkedUntil(limited, now);
  const progress = {
    attempts: entry?.attempt ?? 0,
    nextAttemptAt: mayRenew(domain.suspensions, now) ? textOf(nextAttemptAt) : null,
    rateLimitedUntil: isRateLimited || queue !== undefined ? textOf(nextAttemptAt) : null,
  };
  if (certificate !== undefined) {
    return {
      state: certificate.notAfter <= now ? 'expired' : 'issued',
      method: certificate.method,
      issuer: certificate.issuer,
      notBefore: certificate.notBefore.toISOString(),
      notAfter: certificate.notAfter.toISOString(),
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

/** A check that changes nothing is written to its schedule entry alone. */
function newer(one: Date | null, other: Date | null): Date | null {
  return one === null ? other : later(one, other);
}

function textOf(date: Date | null | undefined): string | null {
  return date?.toISOString() ?? null;
}

/** An uploaded certificate as the API returns it. @param isServed whether visitors get it */
function presentOwnCertificate(own: OwnCertificateRow, isServed: boolean): OwnCertificate {
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
