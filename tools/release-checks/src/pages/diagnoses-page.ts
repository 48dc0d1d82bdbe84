import { issueCodes, type DomainIssue, type IssueCode } from '@pets/contracts';
import { describeIssue, issueCatalog } from '@pets/domains';

const introduction = `# Diagnoses

Every \`code\` in the \`issues\` of a domain: its title, its severity, the message for the owner, the fix, and the evidence.
Severities:

- \`error\`: the owner has to act.
- \`warning\`: the problem resolves automatically, or matters only later.
- \`info\`: the domain makes progress.

Below each code: its title, its \`area\`, whether it is \`blocking\` (the domain cannot go live before it is solved; one that
is live stays live), and whether it \`resolvesAutomatically\`.

In the evidence, \`servers\` are the name servers that showed the problem, \`stale\` are those that still return the old
record, \`expectedBy\` is the time at which the last cache expires, and \`hint\` explains a usual mistake.

\`npm run diagnoses\` generates this page from the code; a test compares them.
`;

/** Renders the page of all issues, for \`docs/diagnoses.md\`. */
export function renderDiagnoses(): string {
  const rows = issueCodes.map((code) => {
    const { severity, meaning } = issueCatalog[code];
    return [`[\`${code}\`](#${code})`, severity, meaning];
  });
  return [introduction, renderTable(['code', 'severity', 'meaning'], rows), ...issueCodes.map(renderSection)].join(
    '\n',
  );
}

function renderSection(code: IssueCode): string {
  const entry = issueCatalog[code];
  const { severity, message, remediation, evidence } = describeIssue(code, entry.example);
  const entries = Object.entries(evidence).map(([key, value]) => `- \`${key}\`: ${renderValue(value)}`);
  return `## ${code}

${renderProperties(entry)}

${severity}: ${escape(message)}

**Fix.** ${escape(remediation)}

Evidence:

${entries.join('\n')}
`;
}

function renderProperties({ title, area, blocking, resolvesAutomatically }: (typeof issueCatalog)[IssueCode]): string {
  const blocks = blocking === 'wildcard' ? 'blocks wildcards' : blocking ? 'blocking' : 'blocks nothing';
  return [`“${title}”`, `area \`${area}\``, blocks, ...(resolvesAutomatically ? ['resolves automatically'] : [])].join(
    ' · ',
  );
}

function renderValue(value: DomainIssue['evidence'][string]): string {
  const values = typeof value === 'object' ? value : [String(value)];
  return values.map((text) => `\`${text}\``).join(', ');
}

function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(...[header, ...rows].map((row) => (row[column] ?? '').length), title.length),
  );
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(header), rule, ...rows.map(line), ''].join('\n');
}

/** Escapes the characters that Markdown would interpret. */
function escape(text: string): string {
  return text.replaceAll(/[*_]/g, '\\$&');
}
