import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { issueCodes, type IssueCode } from '@pets/contracts';
import { describeIssue, issueCatalog } from '../src/issues/issue-catalog.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/diagnoses.md'), 'utf8').replaceAll(
  /\\([*_])/g,
  '$1',
);

// The release checks compare the page with what they render: `npm run mutate` runs only tests of this library.
it.each(issueCodes)('docs/diagnoses.md has what the catalog says of %s', (code) => {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${code}\n`));
  expect(section?.split('\n').filter((line) => line !== '')).toEqual([code, ...linesOf(code)]);
  const row = page.split('\n').find((line) => line.startsWith(`| [\`${code}\`]`));
  const { severity, meaning } = issueCatalog[code];
  expect(row?.split('|').map((cell) => cell.trim())).toEqual(['', `[\`${code}\`](#${code})`, severity, meaning, '']);
});

/** The lines below the heading of an issue. */
function linesOf(code: IssueCode): string[] {
  const { title, area, blocking, resolvesAutomatically, example } = issueCatalog[code];
  const { severity, message, cause, remediation } = describeIssue(code, example);
  const blocks = blocking === 'wildcard' ? 'blocks wildcards' : blocking ? 'blocking' : 'blocks nothing';
  const values = Object.entries(example).map(
    ([key, value]) =>
      `- \`${key}\`: ${[value]
        .flat()
        .map((each) => `\`${each}\``)
        .join(', ')}`,
  );
  return [
    `“${title}” · area \`${area}\` · ${blocks}${resolvesAutomatically ? ' · resolves automatically' : ''}`,
    `${severity}: ${message}`,
    ...(cause === null ? [] : [`**Cause.** ${cause}`]),
    `**Fix.** ${remediation}`,
    'Evidence:',
    ...values,
  ];
}
