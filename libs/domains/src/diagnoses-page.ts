import { issueCodes, type DomainIssue, type IssueCode } from '@pets/contracts';
import { issueExamples } from './issue-examples.js';

const introduction = `# Diagnoses

Every \`code\` in the \`issues\` of a domain: its severity, the message for the owner, the fix, and the evidence. Severities:

- \`error\`: the owner has to act.
- \`warning\`: the problem resolves automatically, or matters only later.
- \`info\`: the domain makes progress.

In the evidence, \`servers\` are the name servers that showed the problem, \`stale\` are those that still return the old
record, \`expectedBy\` is the time at which the last cache expires, and \`hint\` explains a usual mistake.

\`npm run diagnoses\` generates this page from the code; a test compares them.
`;

/** Renders the page of all issues, for \`docs/diagnoses.md\`. */
export function renderDiagnoses(): string {
  const rows = issueCodes.map((code) => {
    const { meaning, issue } = issueExamples[code];
    return [`[\`${code}\`](#${code})`, issue.severity, meaning];
  });
  const sections = issueCodes.map((code) => renderSection(code, issueExamples[code].issue));
  return [introduction, renderTable(['code', 'severity', 'meaning'], rows), ...sections].join('\n');
}

function renderSection(code: IssueCode, { severity, message, remediation, evidence }: DomainIssue): string {
  const entries = Object.entries(evidence).map(([key, value]) => `- \`${key}\`: ${renderValue(value)}`);
  return `## ${code}

${severity}: ${escape(message)}

**Fix.** ${escape(remediation)}

Evidence:

${entries.join('\n')}
`;
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
