import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { reservedGroups } from '../src/names/reserved-names.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/reserved-names.md'), 'utf8');
const [, ...sections] = page.split(/^## /m).map((section) => section.trim().split('\n\n'));

// The release checks compare the page with what they render: `npm run mutate` runs only tests of this library.
it('docs/reserved-names.md has the groups, their reasons and their names', () => {
  const numbers = ' Also reserved with a number after the name.';
  expect(sections).toEqual(
    reservedGroups.map(({ title, reason, numbered, names }) => [
      title,
      reason + (numbered ? numbers : ''),
      names.map((name) => `\`${name}\``).join(', '),
    ]),
  );
});
