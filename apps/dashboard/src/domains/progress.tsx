import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import { Section } from '../components/page.js';
import { Instant } from '../components/time.js';
import { formatDuration } from '../format.js';
import { domainStrings, stepStateStrings, stepStrings } from './domain-strings.js';
import { stepsOf, type Step } from './steps.js';

interface ProgressProps {
  readonly domain: Domain;
  readonly history: readonly DomainHistoryEntry[];
}

/** The steps from added to live, with the state and duration of each. */
export function Progress({ domain, history }: ProgressProps) {
  return (
    <Section title={domainStrings.progress} isCard>
      <ol className="steps">
        {stepsOf(domain, history).map((step) => (
          <StepItem key={step.key} step={step} />
        ))}
      </ol>
    </Section>
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
      <span>{stepStateStrings[state]}</span>
      {at !== null && state === 'done' && <Instant at={at} />}
      {tookMs !== null && state === 'done' && <span>{domainStrings.took(formatDuration(tookMs))}</span>}
    </li>
  );
}
