import { issueCodes, type DomainIssue, type IssueCode } from '@pets/contracts';
import { issueExamples } from './issue-examples.js';

const introduction = `# Diagnoses

What can stand between a domain and \`live\`: every \`code\` in a domain’s \`issues\`, with its severity, what the owner reads,
what to do, and the evidence that comes with it. \`error\`: somebody has to do something. \`warning\`: it mends itself, or
will matter later. \`info\`: it is on its way.

In the evidence, \`servers\` are the name servers that showed it, \`stale\` those that still show the old record,
\`expectedBy\` the time at which the last cache has forgotten it, and \`hint\` the explanation of a usual mistake.

Made from the code by \`npm run diagnoses\`; a test compares.
`;

/** The page of all diagnoses, for \`docs/diagnoses.md\`. */
export function renderDiagnoses(): string {
  const rows = issueCodes.map((code) => {
    const { meaning, issue } = issueExamples[code];
    return [`[\`${code}\`](#${code})`, issue.severity, meaning];
  });
  const sections = issueCodes.map((code) => renderSection(code, issueExamples[code].issue));
  return [introduction, renderTable(['code', 'severity', 'what it means'], rows), ...sections].join('\n');
}

function renderSection(code: IssueCode, { severity, message, remediation, evidence }: DomainIssue): string {
  const entries = Object.entries(evidence).map(([key, value]) => `- \`${key}\`: ${renderValue(value)}`);
  return `## ${code}

${severity}: ${escape(message)}

**What to do.** ${escape(remediation)}

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

/** What Markdown would read as its own. */
function escape(text: string): string {
  return text.replaceAll(/[*_]/g, '\\$&');
}
