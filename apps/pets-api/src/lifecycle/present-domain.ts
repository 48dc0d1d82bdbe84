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
import { presentSuspensions } from '../access/suspensions/suspensions.repository.js';
import type { DomainCertificates } from '../certificates/certificates.repository.js';
import type { OwnCertificateRow } from '../certificates/own/own-certificates.repository.js';
import type { DomainRow } from '../names/domain-row.js';
import { delegationOf, type DnsZones } from '../names/expected-dns.js';
import type { WorkRow } from '../schedule/work.repository.js';
import { buildFacts, newerCheck } from './domain-facts.js';

export interface DomainParts extends CertificateParts {
  readonly pendingEdges: number;
  readonly zones: DnsZones;
  /** Our addresses that may be in records. */
  readonly offered: readonly string[];
  readonly reverifyAfterSeconds: number;
  readonly prepareMaxDays: number;
  readonly planGraceDays: number;
}

/** A domain as the API returns it. */
export function presentDomain(parts: DomainParts): Domain {
  const { domain, work, pendingEdges, zones } = parts;
  const records = requiredRecords(domain, zones, parts.offered);
  const proof = records.find(({ purpose }) => purpose === 'ownership') ?? null;
  const dnsWork = work.find(({ kind }) => kind === 'dns');
  const facts = presentedFacts(parts);
  const { own, automatic } = presentCertificates(parts);
  return {
    id: domain.id,
    name: domain.name,
    unicodeName: domain.unicodeName,
    apexName: domain.apexName,
    projectId: domain.projectId,
    externalId: domain.externalId,
    metadata: domain.metadata ?? {},
    channel: domain.channel,
    originId: domain.originId,
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
      checkedAt: textOf(work.reduce((at, { checkedAt }) => newerCheck(at, checkedAt), domain.checkedAt)),
      nextCheckAt: textOf(dnsWork?.dueAt),
      nameServers: domain.nameServers,
      observed: domain.observed,
      conflicts: domain.conflicts,
      ...(domain.formerRecords.length > 0 && { former: domain.formerRecords }),
    },
    ownership: {
      required: proof !== null,
      state: proof === null ? 'not_required' : domain.ownershipProvenAt === null ? 'pending' : 'proven',
      record: proof,
    },
    certificate: automatic,
    ...(own !== null && { ownCertificate: own }),
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

function presentedFacts({ domain, work, certificates: { automatic, own }, ...context }: DomainParts): DomainFacts {
  return buildFacts(domain, { ...context, certificate: automatic, own, entries: work, ordersAt: [] }, null);
}

/** The issues of checks and attempts, of suspensions and the plan, and of an expiring certificate. */
function issuesOf(
  { domain, certificates, queue, planGraceDays, now }: DomainParts,
  facts: DomainFacts,
): Domain['issues'] {
  const alert = alertIssue(facts, now);
  const suspended = suspensionIssues(domain.name, presentSuspensions(domain.suspensions));
  const ending = planIssue(domain, planGraceDays);
  const queued = queue === undefined ? null : queueIssue(queue, now);
  // An order that was admitted to the line of the CA does not wait for its registered domain any more.
  const isStored = ({ code }: DomainIssue) => queued === null || code !== 'ca_rate_limited';
  const ended = renewalEndIssue(facts, now);
  const [newest] = certificates.uploads;
  const uploaded = newest === undefined ? null : uploadedCertificateIssue(domain.name, newest);
  return [
    ...suspended,
    ending,
    ...domain.dnsIssues,
    ...domain.certificateIssues.filter(isStored),
    uploaded,
    ended,
    queued,
    alert,
  ].filter((issue) => issue !== null);
}

function textOf(date: Date | null | undefined): string | null {
  return date?.toISOString() ?? null;
}

interface CertificateParts {
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
