import type { DomainIssue, RequiredRecord } from '@pets/contracts';
import { indentedWidth, paragraphs, printable, titled } from '../terminal/format.js';
import type { Style } from '../terminal/terminal.js';
import { hang } from '../terminal/wrap.js';

const severityColours = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

/**
 * Presents what is wrong, and what to do.
 * @param records that are shown beside the issues; the texts have their values in short form
 */
export function presentIssues(
  issues: readonly DomainIssue[],
  style: Style,
  records: readonly RequiredRecord[] = [],
): string {
  return paragraphs(issues.map((issue) => presentIssue(issue, style, records)));
}

function presentIssue(issue: DomainIssue, style: Style, records: readonly RequiredRecord[]): string {
  const { code, title, severity, message, remediation } = issue;
  const width = indentedWidth(style.width);
  const labelled: readonly (readonly [label: string, text: string])[] = [...factsOf(issue), ['fix', remediation]];
  const labelWidth = Math.max(...labelled.map(([label]) => label.length)) + 2;
  const line = (label: string, text: string) =>
    hang(label, printable(style.prose(shortenValues(text, records))), width);
  return titled(
    `${style.onStdout(severityColours[severity], severity)}: ${printable(title)} (${code})`,
    [line('', message), ...labelled.map(([label, text]) => line(label.padEnd(labelWidth), text))].join('\n'),
  );
}

/** The expected and the seen values, unless the sentences say them. */
function factsOf({ message, remediation, evidence }: DomainIssue): (readonly [label: string, text: string])[] {
  return (['expected', 'seen'] as const).flatMap((fact) => {
    const value = evidence[fact];
    const values = (typeof value === 'object' ? value : [String(value ?? '')]).filter((each) => each !== '');
    const isSaid = values.every((each) => message.includes(each) || remediation.includes(each));
    return isSaid ? [] : [[fact, values.join(', ')] as const];
  });
}

/** Enough of a token to find it in the table of records. */
const SHOWN_CHARACTERS = 8;

/** A first label that nobody types. */
const token = /^[^.]{20,}/;

/** Shortens the values of records that are shown completely elsewhere: `52487ee7….cname.pets.example`. */
export function shortenValues(text: string, records: readonly RequiredRecord[]): string {
  return records.reduce(
    (rest, { value }) =>
      rest.replaceAll(
        value,
        value.replace(token, (label) => `${label.slice(0, SHOWN_CHARACTERS)}…`),
      ),
    text,
  );
}
