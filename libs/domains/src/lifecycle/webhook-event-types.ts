import type { DomainIssue, DomainState, IssueCode, WebhookEventType } from '@pets/contracts';
import type { DomainTrigger, Transition } from './domain-trigger.js';

/** The parts of a domain's change that decide which webhook events are published. */
export interface PublishedChange {
  readonly domain: {
    readonly state: DomainState;
    readonly misconfigured: boolean;
    readonly dnsIssues: readonly DomainIssue[];
    readonly certificateIssues: readonly DomainIssue[];
  };
  readonly trigger: DomainTrigger;
  readonly outcome: Transition;
  /** Whether it had a certificate before. */
  readonly hadCertificate: boolean;
}

/**
 * The webhook events of a change, in order. A new domain is checked every few seconds, so a finding is published only when
 * it differs from the one before, and its end once. A missing record and a failed lookup are no failures.
 *
 * Every change of the state, of `misconfigured`, of the issues that block something and of a certificate has an event, so that
 * a receiver of all of them knows these as the API returns them.
 */
export function webhookEventTypesOf(change: PublishedChange): readonly WebhookEventType[] {
  const { domain, trigger, outcome } = change;
  const entered = outcome.state === domain.state ? null : outcome.state;
  // Checks of a removed domain are about a record that was left behind, or about an order from before the removal.
  if (outcome.state === 'removed') return entered === null ? [] : ['domain.removed'];
  const dns = compare(domain.dnsIssues, outcome.issues.dns);
  const certificate = compare(domain.certificateIssues, outcome.issues.certificate);
  const hasRetiring = showsNewRetiring(domain.dnsIssues, outcome.issues.dns);
  const types: WebhookEventType[] = [];
  if (entered === 'verified') types.push('domain.verified');
  if (outcome.times.readyAt) types.push('domain.ready');
  // For a live domain, `domain.misconfigured` reports it after several checks.
  if (dns.isFound && outcome.state !== 'live') types.push('domain.verification_failed');
  types.push(...certificateEventOf(change));
  if (outcome.alert?.level === 'expiring') types.push('domain.certificate.expiring');
  // The preflight runs again and again, so only a new finding is published. Every refusal by a CA is published.
  if (trigger.type === 'certificate.failed' && (!trigger.isPreflightFailure || certificate.isFound))
    types.push('domain.certificate.failed');
  if (entered === 'live') types.push('domain.live');
  if (outcome.misconfigured !== domain.misconfigured)
    types.push(outcome.misconfigured ? 'domain.misconfigured' : 'domain.recovered');
  if (hasRetiring) types.push('domain.address_retiring');
  const isOverdue = outcome.alert?.level === 'overdue' || outcome.alert?.level === 'expired';
  if (types.length === 0 && (dns.isFound || certificate.isFound || isOverdue)) types.push('domain.issues_found');
  if ((isOnlyEnded(dns) && !hasRetiring) || isOnlyEnded(certificate)) types.push('domain.issues_resolved');
  return types;
}

/** The event of a change of the certificate that visitors get. */
function certificateEventOf({ trigger, hadCertificate }: PublishedChange): readonly WebhookEventType[] {
  if (trigger.type === 'certificate.issued')
    return [hadCertificate ? 'domain.certificate.renewed' : 'domain.certificate.issued'];
  if (trigger.type === 'own_certificate.activated')
    return [trigger.isFirst ? 'domain.certificate.issued' : 'domain.certificate.renewed'];
  if (trigger.type === 'own_certificate.ended')
    return [trigger.reason === 'revoked' ? 'domain.certificate.failed' : 'domain.certificate.renewed'];
  return trigger.type === 'own_certificate.preferred' ? ['domain.certificate.renewed'] : [];
}

/** Whether issues of one source are new, and whether some are gone. */
interface IssueChange {
  readonly isFound: boolean;
  readonly isEnded: boolean;
}

/** @param found undefined if they are not replaced */
function compare(known: readonly DomainIssue[], found: readonly DomainIssue[] | undefined): IssueChange {
  const [before, now] = [failing(known), failing(found ?? known)];
  const hadRetiring = retiringOf(known).length > 0 && retiringOf(found ?? known).length === 0;
  return { isFound: !now.isSubsetOf(before), isEnded: !before.isSubsetOf(now) || hadRetiring };
}

/** Whether the owner has not been warned about one of the retiring addresses yet. It has an event of its own. */
function showsNewRetiring(known: readonly DomainIssue[], found: readonly DomainIssue[] = known): boolean {
  const before = retiringOf(known);
  return retiringOf(found).some((address) => !before.includes(address));
}

function retiringOf(issues: readonly DomainIssue[]): readonly string[] {
  return issues.flatMap(({ code, evidence }) =>
    code === 'address_retiring' ? [evidence['seen'] ?? []].flat().map(String) : [],
  );
}

function isOnlyEnded({ isFound, isEnded }: IssueChange): boolean {
  return isEnded && !isFound;
}

function failing(issues: readonly DomainIssue[]): ReadonlySet<IssueCode> {
  return new Set(issues.filter(isFailure).map(({ code }) => code));
}

/** Whether an issue is an error, or a warning of something that the domain cannot go live with. A failed lookup shows nothing. */
function isFailure({ code, severity, blocking }: DomainIssue): boolean {
  return severity === 'error' || (severity === 'warning' && blocking && code !== 'resolver_failed');
}
