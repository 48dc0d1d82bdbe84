import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../src/repository.js';

const domains = join(REPOSITORY, 'libs/domains');
const page = readFileSync(join(REPOSITORY, 'docs/mutation.md'), 'utf8');
const { default: config } = (await import(pathToFileURL(join(domains, 'stryker.config.mjs')).href)) as {
  default: { mutate: readonly string[] };
};
const included = config.mutate.filter((pattern) => !pattern.startsWith('!'));
const excluded = config.mutate.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
const find = (patterns: readonly string[]) => globSync([...patterns], { cwd: domains });

describe('docs/mutation.md', () => {
  it('has a row for each file that `npm run mutate` changes, and for no other: the command writes them', () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` /gm)].map(([, path]) => `src/${path}`);
    const others = new Set(find(excluded));
    expect(rows.sort()).toEqual(
      find(included)
        .filter((path) => !others.has(path))
        .sort(),
    );
  });

  it('says of each file when and at which commit it was measured', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    expect(
      rows.filter((row) => !/\| (?:\d{4}-\d\d-\d\d, [0-9a-f]{7,}(?: and changes)?|not yet) *\|$/.test(row)),
    ).toEqual([]);
  });

  it.each(excluded)('says that %s is not changed, and there is such a file', (pattern) => {
    expect(page).toContain(`\`${basename(pattern)}\``);
    expect(find([pattern])).not.toEqual([]);
  });
});
