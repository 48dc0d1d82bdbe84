import type { DomainIssue, DomainState, IssueCode, WebhookEventType } from '@pets/contracts';
import type { DomainTrigger, Transition } from '@pets/domains';

/** The parts of a domain's change that decide which webhook events are published. */
export interface ToldChange {
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
 * it differs from the one before. A missing record and a failed lookup are no failures.
 */
export function webhookEventTypesOf(change: ToldChange): readonly WebhookEventType[] {
  const { domain, outcome } = change;
  const entered = outcome.state === domain.state ? null : outcome.state;
  if (entered === 'removed') return ['domain.removed'];
  // The end of an order that was placed before the removal.
  if (outcome.state === 'removed') return [];
  const types: WebhookEventType[] = [];
  if (entered === 'verified') types.push('domain.verified');
  if (outcome.times.readyAt) types.push('domain.ready');
  if (hasFailedVerification(change)) types.push('domain.verification_failed');
  if (change.trigger.type === 'certificate.issued')
    types.push(change.hadCertificate ? 'domain.certificate.renewed' : 'domain.certificate.issued');
  if (change.trigger.type === 'own_certificate.activated')
    types.push(change.trigger.isFirst ? 'domain.certificate.issued' : 'domain.certificate.renewed');
  if (change.trigger.type === 'own_certificate.ended' && change.trigger.reason === 'revoked')
    types.push('domain.certificate.failed');
  if (outcome.alert?.level === 'expiring') types.push('domain.certificate.expiring');
  if (hasFailedIssuance(change)) types.push('domain.certificate.failed');
  if (entered === 'live') types.push('domain.live');
  if (outcome.misconfigured && !domain.misconfigured) types.push('domain.misconfigured');
  return types;
}

/** Findings that do not stop verification, or that resolve with time. */
const waiting: ReadonlySet<IssueCode> = new Set<IssueCode>([
  'no_record',
  'propagating',
  'resolver_failed',
  'apex_cname_to_us',
  'delegation_lost',
]);

/** For a live domain, `domain.misconfigured` reports it after several checks. A removed domain needs no event. */
function hasFailedVerification({ domain, outcome }: ToldChange): boolean {
  const found = outcome.issues.dns;
  if (found === undefined || (outcome.state !== 'awaiting_dns' && outcome.state !== 'verified')) return false;
  return isNewFinding(domain.dnsIssues, found);
}

/** The preflight runs again and again, so only a new finding is published. Every refusal by a CA is published. */
function hasFailedIssuance({ domain, trigger, outcome }: ToldChange): boolean {
  if (trigger.type !== 'certificate.failed') return false;
  return !trigger.isPreflightFailure || isNewFinding(domain.certificateIssues, outcome.issues.certificate ?? []);
}

function isNewFinding(before: readonly DomainIssue[], now: readonly DomainIssue[]): boolean {
  const codes = failing(now);
  return codes !== '' && codes !== failing(before);
}

function failing(issues: readonly DomainIssue[]): string {
  return issues
    .filter(({ code, severity }) => severity !== 'info' && !waiting.has(code))
    .map(({ code }) => code)
    .sort()
    .join();
}
