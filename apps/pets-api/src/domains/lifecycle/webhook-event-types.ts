import type { DomainIssue, DomainState, IssueCode, WebhookEventType } from '@pets/contracts';
import type { DomainTrigger, Transition } from '@pets/domains';

/** What has become of a domain, as far as endpoints are told of it. */
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
 * The events of a change, in order. A domain is looked at every few seconds at first, so what a look finds is told only
 * when it is another finding than before; that there is no record yet, or that it could not be looked, is no failure.
 */
export function webhookEventTypesOf(change: ToldChange): readonly WebhookEventType[] {
  const { domain, outcome } = change;
  const entered = outcome.state === domain.state ? null : outcome.state;
  if (entered === 'removed') return ['domain.removed'];
  const types: WebhookEventType[] = [];
  if (entered === 'verified') types.push('domain.verified');
  if (hasFailedVerification(change)) types.push('domain.verification_failed');
  if (change.trigger.type === 'certificate.issued')
    types.push(change.hadCertificate ? 'domain.certificate.renewed' : 'domain.certificate.issued');
  if (hasFailedIssuance(change)) types.push('domain.certificate.failed');
  if (entered === 'live') types.push('domain.live');
  if (outcome.misconfigured && !domain.misconfigured) types.push('domain.misconfigured');
  return types;
}

/** Findings that stop nothing, or that say that something is to be waited for. */
const waiting: ReadonlySet<IssueCode> = new Set<IssueCode>([
  'no_record',
  'propagating',
  'resolver_failed',
  'apex_cname_to_us',
]);

/** Of a live domain `domain.misconfigured` tells, after several looks; one that was removed is nobody's concern. */
function hasFailedVerification({ domain, outcome }: ToldChange): boolean {
  const found = outcome.issues.dns;
  if (found === undefined || (outcome.state !== 'awaiting_dns' && outcome.state !== 'verified')) return false;
  return isNewFinding(domain.dnsIssues, found);
}

/** Our own gate is passed again and again, so of its refusals each finding is told once; each refusal by a CA is. */
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
