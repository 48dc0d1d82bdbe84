import type { Domain, DomainIssue, RequiredRecord } from '@pets/contracts';
import { FieldList, Section, SymptomHelp } from '../components/page.js';
import { Notice } from '../components/notice.js';
import { DataTable } from '../components/table.js';
import { useNow } from '../components/time.js';
import { localizeTimes } from '../format.js';
import { compareEvidence, differencesOf, shortenValues, type Difference } from './differences.js';
import { chooseTroubleshooting } from './domain-status.js';
import { domainStrings, troubleshootingStrings } from './domain-strings.js';

const tones = { error: 'critical', warning: 'warning', info: 'neutral' } as const satisfies Record<
  DomainIssue['severity'],
  string
>;

interface IssuesProps {
  readonly domain: Domain;
  /** Records whose values the page shows above the issues. */
  readonly shown: readonly RequiredRecord[];
}

/** What is wrong, as one table of changes where records conflict, and the fix of everything else. */
export function Issues({ domain, shown }: IssuesProps) {
  const differences = differencesOf(domain);
  if (domain.issues.length === 0) return null;
  return (
    <Section title={domainStrings.problems}>
      {domain.issues.map((issue) => (
        <IssueNotice key={issue.code} issue={issue} shown={shown} hasDifferences={differences.length > 0} />
      ))}
      {differences.length > 0 && <Differences differences={differences} shown={shown} />}
    </Section>
  );
}

interface DifferencesProps {
  readonly differences: readonly Difference[];
  readonly shown: readonly RequiredRecord[];
}

function Differences({ differences, shown }: DifferencesProps) {
  const valueOf = (record: RequiredRecord) =>
    shown.includes(record) ? domainStrings.valueOf(record.type, record.alternatives !== undefined) : record.value;
  return (
    <div className="card" data-flush>
      <DataTable
        label={domainStrings.differences}
        rows={differences}
        keyOf={({ action, type, name, value }) => `${action} ${type} ${name} ${value}`}
        columns={[
          {
            header: domainStrings.action,
            kind: 'tight',
            cell: ({ action }) => (
              <span className="difference-action" data-action={action}>
                {domainStrings.differenceActions[action]}
              </span>
            ),
          },
          { header: domainStrings.recordType, kind: 'tight', cell: ({ type }) => type },
          { header: domainStrings.recordName, cell: ({ name }) => <span className="value">{name}</span> },
          {
            header: domainStrings.recordValue,
            cell: ({ value, required }) => (
              <>
                {value !== null && <span className="value">{value}</span>}
                {value !== null && required !== null && ' → '}
                {required !== null && valueOf(required)}
              </>
            ),
          },
        ]}
      />
    </div>
  );
}

interface IssueNoticeProps {
  readonly issue: DomainIssue;
  readonly shown: readonly RequiredRecord[];
  readonly hasDifferences: boolean;
}

function IssueNotice({ issue, shown, hasDifferences }: IssueNoticeProps) {
  const textOf = (text: string) => localizeTimes(shortenValues(text, shown, domainStrings.valueAbove));
  const comparison = hasDifferences && issue.area !== 'certificate' ? null : compareEvidence(issue);
  return (
    <Notice tone={tones[issue.severity]} title={textOf(issue.message)} role="group" issue={issue.code}>
      <p>{textOf(issue.remediation)}</p>
      {comparison !== null && (
        <FieldList
          fields={[
            [domainStrings.expected, <Values values={comparison.expected.map(textOf)} />],
            [domainStrings.seen, <Values values={comparison.seen} />],
          ]}
        />
      )}
    </Notice>
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
    <Section title={troubleshootingStrings.title}>
      {symptoms.map((symptom) => (
        <SymptomHelp key={symptom} {...troubleshootingStrings[symptom]} />
      ))}
    </Section>
  );
}
