import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import { Instant } from '../components/time.js';
import { formatDuration } from '../format.js';
import { hasChangedDns, isAwaited } from './domain-status.js';
import { domainStrings, stepStateStrings, stepStrings, type StepKey } from './domain-strings.js';

interface ProgressProps {
  readonly domain: Domain;
  readonly history: readonly DomainHistoryEntry[];
}

/** The steps from added to live, with the state and duration of each. */
export function Progress({ domain, history }: ProgressProps) {
  return (
    <ol className="card steps" aria-label={domainStrings.progress}>
      {stepsOf(domain, history).map((step) => (
        <StepItem key={step.key} step={step} />
      ))}
    </ol>
  );
}

function StepItem({ step: { key, state, at, tookMs } }: { readonly step: Step }) {
  return (
    <li
      data-state={state}
      data-step={key}
      aria-current={state === 'current' || state === 'blocked' ? 'step' : undefined}
    >
      <strong>{stepStrings[key]}</strong>
      {at === null || state !== 'done' ? (
        <span>{key === 'dns' && state === 'current' ? domainStrings.waitingForRecord : stepStateStrings[state]}</span>
      ) : (
        <span>
          <span className="visually-hidden">{stepStateStrings.done} </span>
          <Instant at={at} />
          {tookMs !== null && `, ${domainStrings.took(formatDuration(tookMs))}`}
        </span>
      )}
    </li>
  );
}

const stepKeys = ['added', 'dns', 'verified', 'certificate', 'live'] as const satisfies readonly StepKey[];

/** `blocked`: the owner has to do something first. */
type StepState = 'done' | 'current' | 'blocked' | 'waiting';

interface Step {
  readonly key: StepKey;
  readonly state: StepState;
  /** When the step was completed, RFC 3339. */
  readonly at: string | null;
  /** The time since the previous step; null when both have the same time, or it is unknown. */
  readonly tookMs: number | null;
}

type DomainProgress = Pick<Domain, 'state' | 'createdAt' | 'verifiedAt' | 'liveAt' | 'issues' | 'misconfigured'>;
type Entry = Pick<DomainHistoryEntry, 'type' | 'to' | 'at'>;

/** The progress of a domain, from its state and its history. */
export function stepsOf(domain: DomainProgress, history: readonly Entry[]): Step[] {
  const issuedAt = history.find(({ type }) => type === 'certificate.issued')?.at ?? null;
  const reachedAt: Record<StepKey, string | null> = {
    added: domain.createdAt,
    dns: domain.verifiedAt,
    verified: domain.verifiedAt,
    certificate: issuedAt ?? domain.liveAt,
    live: domain.liveAt,
  };
  const isBlocked = domain.issues.some(
    (issue) => issue.severity === 'error' && issue.blocking && !isAwaited(issue, domain.issues),
  );
  const next = domain.state === 'removed' ? undefined : stepKeys.find((key) => reachedAt[key] === null);
  const undone = undoneSteps(domain);
  return stepKeys.map((key, index) => {
    const at = reachedAt[key];
    const before = stepKeys[index - 1];
    const isSameMoment = before === undefined || reachedAt[before] === at;
    return {
      key,
      state: undone.has(key) ? 'blocked' : stateOf({ isDone: at !== null, isNext: key === next, isBlocked }),
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
