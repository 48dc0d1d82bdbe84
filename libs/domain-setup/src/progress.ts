import type { SetupDomain } from '@pets/contracts';
import type { DnsProvider } from '@pets/dns-providers';
import { sentence } from './format.js';
import type { ShownDomain } from './shown-domain.js';
import { hasChangedDns, isAwaited, type StatusFacts } from './status.js';
import { setupTexts, type SetupTexts } from './texts.js';
import { hasChanges, zoneLines, type ZoneFacts } from './zone-lines.js';

type StepKey = keyof SetupTexts['steps'];

const stepKeys = ['added', 'dns', 'verified', 'certificate', 'live'] as const satisfies readonly StepKey[];

/** `blocked`: the owner has to do something first. */
type StepState = keyof SetupTexts['stepStates'];

/** A step from added to live. */
export interface Step {
  readonly key: StepKey;
  readonly state: StepState;
  /** When the step was completed, RFC 3339; null also where that is unknown. */
  readonly at: string | null;
  /** The time since the previous step; null when both have the same time, or it is unknown. */
  readonly tookMs: number | null;
}

type DomainProgress = Pick<
  ShownDomain,
  'state' | 'createdAt' | 'verifiedAt' | 'liveAt' | 'issues' | 'misconfigured' | 'certificateIssuedAt'
> & { readonly certificate: Pick<NonNullable<SetupDomain['certificate']>, 'state'> | null };

/** The progress of a domain. */
export function stepsOf(domain: DomainProgress): Step[] {
  const reachedAt: Record<StepKey, string | null> = {
    added: domain.createdAt,
    dns: domain.verifiedAt,
    verified: domain.verifiedAt,
    certificate: domain.certificateIssuedAt ?? domain.liveAt,
    live: domain.liveAt,
  };
  const isIssued = domain.state === 'verified' && domain.certificate?.state === 'issued';
  const isDone = (key: StepKey) => reachedAt[key] !== null || (key === 'certificate' && isIssued);
  const isBlocked = domain.issues.some(
    (issue) => issue.severity === 'error' && issue.blocking && !isAwaited(issue, domain.issues),
  );
  const next = domain.state === 'removed' ? undefined : stepKeys.find((key) => !isDone(key));
  const undone = undoneSteps(domain);
  return stepKeys.map((key, index) => {
    const at = reachedAt[key];
    const before = stepKeys[index - 1];
    const isSameMoment = before === undefined || reachedAt[before] === at;
    return {
      key,
      state: undone.has(key) ? 'blocked' : stateOf({ isDone: isDone(key), isNext: key === next, isBlocked }),
      at,
      tookMs: isSameMoment ? null : between(reachedAt[before], at),
    };
  });
}

/** Steps that were reached and no longer hold. */
function undoneSteps(domain: DomainProgress): ReadonlySet<StepKey> {
  const hasExpired = domain.issues.some(({ code }) => code === 'certificate_expired');
  return new Set<StepKey>([
    ...(hasChangedDns(domain) ? (['dns'] as const) : []),
    ...(hasExpired ? (['certificate'] as const) : []),
  ]);
}

function stateOf(facts: { isDone: boolean; isNext: boolean; isBlocked: boolean }): StepState {
  if (facts.isDone) return 'done';
  if (!facts.isNext) return 'waiting';
  return facts.isBlocked ? 'blocked' : 'current';
}

/** Null if the certificate was issued before the DNS was switched. */
function between(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const tookMs = new Date(to).getTime() - new Date(from).getTime();
  return tookMs < 0 ? null : tookMs;
}

/** The text below the title of a step that has no time. */
export function stepText({ key, state }: Pick<Step, 'key' | 'state'>, texts: SetupTexts): string {
  return key === 'dns' && state === 'current' ? texts.waitingForRecord : texts.stepStates[state];
}

/** Facts on which the title of the next step depends. */
export type NextFacts = ZoneFacts & StatusFacts & Pick<SetupDomain, 'unicodeName'>;

/** Whether something has to be done at the DNS provider, or is not there yet. */
export function needsRecords(domain: ZoneFacts): boolean {
  return domain.state !== 'removed' && (domain.state === 'awaiting_dns' || hasChanges(zoneLines(domain)));
}

/**
 * Title that says what is next.
 * @param pending the domain and its counterpart, where they need records
 */
export function nextTitle(
  domain: NextFacts,
  pending: readonly Omit<NextFacts, 'isSuspended'>[],
  provider: DnsProvider,
  texts: SetupTexts = setupTexts,
): string {
  const { zone, next } = texts;
  const todo = pending.flatMap(zoneLines).filter(({ action }) => action !== 'keep');
  if (todo.length > 0) {
    const what = zone.recordsAt(todo.length, provider.id === 'other' ? null : provider.label);
    if (pending.every(({ state }) => state === 'live'))
      return pending.some(hasChangedDns) ? zone.titles.restore(what) : zone.titles.fix(what);
    return todo.every(({ action }) => action === 'add') ? zone.titles.create(what) : zone.titles.fix(what);
  }
  if (domain.isSuspended) return next.suspended(domain.unicodeName);
  if (domain.state === 'live') return next.live(domain.unicodeName);
  if (domain.state === 'verified') return next.certificate;
  if (domain.state === 'removed') return next.removed(domain.unicodeName);
  const [issue] = domain.issues;
  return issue === undefined ? next.checking : sentence(issue.title).slice(0, -1);
}

/** Whether a TXT record has proved the ownership and can go. */
export function hasServedProof({ ownership, records }: Pick<SetupDomain, 'ownership' | 'records'>): boolean {
  return ownership.state === 'proven' && records.some(({ purpose }) => purpose === 'ownership');
}
