import type { Domain, DomainIssue } from '@pets/contracts';
import { Alert, Stack, Text } from '@mantine/core';
import { FieldList, Section, SymptomHelp } from '../components/page.js';
import { useNow } from '../components/time.js';
import { strings } from '../strings.js';
import { chooseTroubleshooting, compareEvidence } from './diagnosis.js';

const colors = { error: 'red', warning: 'yellow', info: 'blue' } as const satisfies Record<
  DomainIssue['severity'],
  string
>;

/** The issues of a domain: expected and observed values, and the fix. */
export function Issues({ domain: { issues, dns } }: { readonly domain: Domain }) {
  if (issues.length === 0) return null;
  return (
    <Section title={strings.domains.issues}>
      {issues.map((issue) => (
        <IssueAlert key={issue.code} issue={issue} />
      ))}
      {dns.conflicts.length > 0 && (
        <div>
          <Text fw={600}>{strings.domains.conflicts}</Text>
          <ul>
            {dns.conflicts.map(({ type, name, value, action }) => (
              <li key={`${type} ${name} ${value}`}>
                {strings.domains.conflictActions[action]}: <span className="value">{`${name} ${type} ${value}`}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}

function IssueAlert({ issue }: { readonly issue: DomainIssue }) {
  const comparison = compareEvidence(issue);
  return (
    <Alert color={colors[issue.severity]} variant="light" title={issue.message} role="group" data-issue={issue.code}>
      <Stack gap="xs">
        <Text>{issue.remediation}</Text>
        {comparison !== null && (
          <FieldList
            fields={[
              [strings.domains.expected, <Values values={comparison.expected} />],
              [strings.domains.seen, <Values values={comparison.seen} />],
            ]}
          />
        )}
      </Stack>
    </Alert>
  );
}

function Values({ values }: { readonly values: readonly string[] }) {
  return <span className="value">{values.join(', ')}</span>;
}

const MINUTE_MS = 60_000;

/** Help for the symptoms that can occur in the state of the domain. */
export function Troubleshooting({ domain }: { readonly domain: Domain }) {
  const symptoms = chooseTroubleshooting(domain, useNow(MINUTE_MS));
  if (symptoms.length === 0) return null;
  return (
    <Section title={strings.troubleshooting.title}>
      {symptoms.map((symptom) => (
        <SymptomHelp key={symptom} {...strings.troubleshooting[symptom]} />
      ))}
    </Section>
  );
}
