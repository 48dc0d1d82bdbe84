/**
 * The preparation of a name for the switch of its DNS: where its challenges are delegated to us, its certificate is issued by
 * DNS-01 while visitors still go elsewhere. The domain stays `awaiting_dns`. Certificates are ordered for a limited time, so
 * that a forgotten record does not cost orders for ever.
 */
import { isWildcard, type DomainIssue, type ReadinessState } from '@pets/contracts';
import { renewalTime } from '../certificates/renewal.js';
import { delegationIssue, requiredDelegationIssues, type DelegationVerdict } from '../dns/evaluate-delegation.js';
import { describeIssue } from '../issues/issue-catalog.js';
import type { DomainFacts, DomainTimes, Transition } from './domain-trigger.js';
import { blockedByCaUntil, nextAllowedOrder } from './order-budget.js';
import { later, nextDriftCheck } from './schedules.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long certificates are renewed by DNS-01 for a name that was live and points elsewhere. */
const LEFT_MAX_MS = 30 * DAY_MS;

/** The facts that orders by DNS-01 depend on. */
export type DelegationFacts = Pick<
  DomainFacts,
  'state' | 'delegatedAt' | 'preparedAt' | 'elsewhereSince' | 'prepareMaxDays'
>;

/** Whether certificates may be ordered by DNS-01 now. */
export function mayOrderByDelegation(domain: DelegationFacts, now: Date): boolean {
  const endsAt = ordersEndAt(domain);
  return domain.delegatedAt !== null && (endsAt === null || endsAt > now);
}

/** When orders by DNS-01 end if the name still points elsewhere; null while it points here. */
function ordersEndAt({ state, preparedAt, elsewhereSince, prepareMaxDays }: DelegationFacts): Date | null {
  if (state === 'awaiting_dns') return preparedAt && new Date(preparedAt.getTime() + prepareMaxDays * DAY_MS);
  return elsewhereSince && new Date(elsewhereSince.getTime() + LEFT_MAX_MS);
}

/** The issue of a certificate that is no longer renewed by DNS-01; null while it is, or if it never was. */
export function renewalEndIssue(
  domain: DelegationFacts & Pick<DomainFacts, 'name' | 'targetHost' | 'certificateMethod'>,
  now: Date,
): DomainIssue | null {
  const { name, state, targetHost: expected, preparedAt, elsewhereSince } = domain;
  if (domain.delegatedAt === null || mayOrderByDelegation(domain, now)) return null;
  if (state === 'awaiting_dns' && preparedAt !== null)
    return describeIssue('preparation_expired', { name, expected, since: preparedAt.toISOString() });
  if (state === 'removed' || elsewhereSince === null || domain.certificateMethod !== 'dns-01') return null;
  return describeIssue('renewal_stopped', { name, expected, since: elsewhereSince.toISOString() });
}

/** The owner asked for a check after the preparation had expired: the check that finds the delegation begins another one. */
export function restartedPreparation(domain: DomainFacts, now: Date): DomainTimes {
  const isExpired = domain.delegatedAt !== null && !mayOrderByDelegation(domain, now);
  return domain.state === 'awaiting_dns' && isExpired ? { preparedAt: null } : {};
}

type Preparation = Pick<Transition, 'work' | 'times' | 'history'> & {
  readonly issues: readonly DomainIssue[];
  /** When to check again after the polling has ended; null without a preparation. */
  readonly nextCheckAt: Date | null;
};

/**
 * A check of a name that does not point here yet. A new delegation makes the order due; without one, nothing is ordered.
 * @param isProven whether the ownership of a wildcard is proven where that is required: its delegation alone is no proof
 */
export function afterPreparation(
  domain: DomainFacts,
  verdict: DelegationVerdict | null | undefined,
  isProven: boolean,
  now: Date,
): Preparation {
  const { times, issues } = afterDelegation(domain, verdict, now);
  const { delegatedAt = domain.delegatedAt } = times;
  if (delegatedAt === null) {
    const wasDelegated = domain.delegatedAt !== null;
    const work = wasDelegated ? { issuance: { dueAt: null } } : {};
    const lost = verdict?.kind === 'shadowed' ? [] : lostIssues(domain);
    const history = wasDelegated ? 'the delegation of challenges is gone or hidden: no certificate is requested' : null;
    return { work, times, history, issues: [...lost, ...issues], nextCheckAt: nextCheckAt(domain, now) };
  }
  const mayOrder = isProven || !isWildcard(domain.name);
  const isNew =
    mayOrder && verdict?.kind === 'delegated' && (domain.delegatedAt === null || domain.preparedAt === null);
  const { preparedAt } = domain;
  const prepared = { ...domain, delegatedAt, preparedAt: preparedAt ?? now };
  const isOrdered = isNew && mayOrderByDelegation(prepared, now);
  return {
    work: isOrdered ? firstOrder(domain, now) : {},
    times: isNew && preparedAt === null ? { ...times, preparedAt: now } : times,
    history: isOrdered ? 'delegated: the certificate is issued while the name points elsewhere' : null,
    issues,
    nextCheckAt: nextCheckAt(prepared, now),
  };
}

/** An attempt that is under way, and the renewal of a certificate that was issued before, stay as they are. */
export function firstOrder(domain: DomainFacts, now: Date): Transition['work'] {
  const { certificate, issuance, jitter, ordersAt } = domain;
  if (issuance.isUnderWay) return {};
  const allowedAt = blockedByCaUntil(domain, now) ?? nextAllowedOrder(ordersAt, now);
  if (certificate === null || certificate.notAfter <= now) return { issuance: { dueAt: allowedAt, failuresInARow: 0 } };
  const renewAt = renewalTime(certificate.notBefore, certificate.notAfter, jitter);
  return issuance.dueAt === null ? { issuance: { dueAt: later(allowedAt, renewAt) } } : {};
}

function lostIssues({ name, delegation, preparedAt }: DomainFacts): readonly DomainIssue[] {
  if (delegation === null || preparedAt === null || isWildcard(name)) return [];
  return [describeIssue('delegation_lost', { name, host: delegation.host, expected: delegation.target })];
}

function nextCheckAt(domain: DomainFacts, now: Date): Date | null {
  const endsAt = ordersEndAt(domain);
  return (endsAt ?? now) > now ? nextDriftCheck(0, domain.jitter, now) : null;
}

/** Whether the DNS of a name can be switched without an interruption, for the owner. */
interface Readiness {
  readonly state: ReadinessState;
  readonly message: string;
}

/** Null for a name that is past the switch, and where challenges cannot be delegated. */
export function evaluateReadiness(
  domain: DelegationFacts & Pick<DomainFacts, 'delegation' | 'readyAt' | 'certificate' | 'ownCertificate'>,
  isSuspended: boolean,
  now: Date,
): Readiness | null {
  const { state, delegation, readyAt, certificate, ownCertificate } = domain;
  const served = ownCertificate ?? certificate;
  if (state !== 'awaiting_dns' || delegation === null) return null;
  if (isSuspended) return { state: 'waiting', message: 'The domain is suspended: do not switch the DNS record yet.' };
  if (readyAt !== null && served !== null && served.notAfter > now)
    return {
      state: 'ready',
      message: 'You can switch the DNS record now: visitors will see no interruption.',
    };
  if (mayOrderByDelegation(domain, now))
    return {
      state: 'preparing',
      message: 'The certificate is being issued: wait before you switch the DNS record.',
    };
  return {
    state: 'waiting',
    message:
      `To switch without an interruption, create the CNAME record of ${delegation.host} to ${delegation.target} first. ` +
      'The certificate is then issued while the name still points elsewhere.',
  };
}

/** Result of a check of the delegation: the time to store, and the issue to show. */
export interface DelegationOutcome {
  readonly times: DomainTimes;
  readonly issues: readonly DomainIssue[];
}

/**
 * Evaluates the delegation of a domain that is not removed. Only an answer of all servers changes anything: a server that lacks
 * a new record, or has failed, does not end a delegation that was found before. A wildcard has no certificate without it.
 */
export function afterDelegation(
  { name, delegation, delegatedAt }: DomainFacts,
  verdict: DelegationVerdict | null | undefined,
  now: Date,
): DelegationOutcome {
  if (delegation === null || verdict === null || verdict === undefined) return { times: {}, issues: [] };
  const issue = isWildcard(name) ? null : delegationIssue(verdict, delegation, name);
  const required = isWildcard(name) ? requiredDelegationIssues(verdict, delegation, name) : [];
  const issues = issue === null ? required : [issue];
  switch (verdict.kind) {
    case 'delegated':
      return { times: delegatedAt === null ? { delegatedAt: now } : {}, issues };
    case 'absent':
    case 'elsewhere':
    case 'shadowed':
      return { times: delegatedAt === null ? {} : { delegatedAt: null }, issues };
    case 'partial':
    case 'unknown':
      return { times: {}, issues };
  }
}
