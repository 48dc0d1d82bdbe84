import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import { Text } from '@mantine/core';
import { formatDuration } from '../format.js';
import { Instant } from '../parts/instant.js';
import { Section } from '../parts/section.js';
import { strings } from '../strings.js';
import { stepsOf, type Step } from './steps.js';

interface ProgressProps {
  readonly domain: Domain;
  readonly history: readonly DomainHistoryEntry[];
}

/** From added to live: what is done and how long it took, what goes on, and where it waits for its owner. */
export function Progress({ domain, history }: ProgressProps) {
  return (
    <Section title={strings.domains.progress}>
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
      <Text fw={600}>{strings.steps[key]}</Text>
      <Text size="sm">{strings.stepStates[state]}</Text>
      {at !== null && (
        <Text size="sm" c="dimmed">
          <Instant at={at} />
        </Text>
      )}
      {tookMs !== null && (
        <Text size="sm" c="dimmed">
          {strings.domains.took(formatDuration(tookMs))}
        </Text>
      )}
    </li>
  );
}
