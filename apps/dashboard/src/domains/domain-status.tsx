import type { Domain, DomainHistoryEntry, DomainState } from '@pets/contracts';
import { Badge, Text } from '@mantine/core';
import { FieldList, Section } from '../components/page.js';
import { Countdown, Instant } from '../components/time.js';
import { formatDuration } from '../format.js';
import { strings } from '../strings.js';
import { stepsOf, type Step } from './steps.js';

const colors = {
  awaiting_dns: 'yellow',
  verified: 'blue',
  live: 'green',
  removed: 'gray',
} as const satisfies Record<DomainState, string>;

type DomainStatus = Pick<Domain, 'state' | 'misconfigured' | 'suspensions'>;

export function StateBadge({ domain }: { readonly domain: DomainStatus }) {
  return (
    <Badge
      variant="light"
      color={domain.misconfigured || domain.suspensions.length > 0 ? 'red' : colors[domain.state]}
      tt="none"
      className="state-badge"
    >
      {stateText(domain)}
    </Badge>
  );
}

export function stateText({ state, misconfigured, suspensions }: DomainStatus): string {
  if (suspensions.length > 0) return strings.suspended;
  return misconfigured ? strings.misconfigured : strings.states[state];
}

interface ProgressProps {
  readonly domain: Domain;
  readonly history: readonly DomainHistoryEntry[];
}

/** The steps from added to live, with the state and duration of each. */
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

/** The times of the last and the next DNS check. */
export function Checks({ domain: { dns, state } }: { readonly domain: Domain }) {
  const { checkedAt, nextCheckAt } = dns;
  return (
    <div>
      <FieldList
        fields={[
          [strings.domains.lastCheck, checkedAt === null ? strings.none : <Instant at={checkedAt} />],
          [strings.domains.nextCheck, nextCheckAt === null ? null : <Countdown until={nextCheckAt} />],
        ]}
      />
      {nextCheckAt === null && state === 'awaiting_dns' && <Text size="sm">{strings.domains.noNextCheck}</Text>}
    </div>
  );
}

export function Certificate({ domain: { certificate } }: { readonly domain: Domain }) {
  const text = strings.certificate;
  return (
    <Section title={text.title}>
      {certificate === null ? (
        <Text>{text.none}</Text>
      ) : (
        <FieldList
          fields={[
            [text.state, text.states[certificate.state]],
            [text.method, text.methods[certificate.method]],
            [text.issuer, certificate.issuer],
            [text.from, optionalInstant(certificate.notBefore)],
            [text.until, optionalInstant(certificate.notAfter)],
            [text.renewAt, optionalInstant(certificate.renewAt)],
            [text.attempts, certificate.attempts],
            [
              text.nextAttempt,
              certificate.state === 'issued' || certificate.nextAttemptAt === null ? null : (
                <Countdown until={certificate.nextAttemptAt} />
              ),
            ],
            [text.rateLimited, optionalInstant(certificate.rateLimitedUntil)],
          ]}
        />
      )}
    </Section>
  );
}

function optionalInstant(at: string | null) {
  return at === null ? null : <Instant at={at} />;
}
