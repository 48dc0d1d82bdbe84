import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import { formatDuration, setupTexts, stepsOf, stepText, type Step } from '@pets/domain-setup';
import { Instant } from '../components/time.js';

interface ProgressProps {
  readonly domain: Domain;
  readonly history: readonly DomainHistoryEntry[];
}

/** The steps from added to live, with the state and duration of each. */
export function Progress({ domain, history }: ProgressProps) {
  return (
    <ol className="card steps" aria-label={setupTexts.progress}>
      {stepsOf(domain, history).map((step) => (
        <StepItem key={step.key} step={step} />
      ))}
    </ol>
  );
}

function StepItem({ step }: { readonly step: Step }) {
  const { key, state, at, tookMs } = step;
  return (
    <li
      data-state={state}
      data-step={key}
      aria-current={state === 'current' || state === 'blocked' ? 'step' : undefined}
    >
      <strong>{setupTexts.steps[key]}</strong>
      {at === null || state !== 'done' ? (
        <span>{stepText(step, setupTexts)}</span>
      ) : (
        <span>
          <span className="visually-hidden">{setupTexts.stepStates.done} </span>
          <Instant at={at} />
          {tookMs !== null && `, ${setupTexts.took(formatDuration(tookMs))}`}
        </span>
      )}
    </li>
  );
}
