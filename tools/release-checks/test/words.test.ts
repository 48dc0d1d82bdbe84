import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { REPOSITORY } from '../src/repository.js';
import { listFiles, listSources } from '../src/sources/import-graph.js';
import { findAvoidedWords, findFragments } from '../src/sources/words.js';

/** Files that list the words themselves. */
const exempt = /^tools\/release-checks\/src\/sources\/words\.|^package-lock\.json$/;
/** Texts that people write, templates of Helm, SQL and settings of servers included. */
const isText = (path: string) =>
  /\.(?:tsx?|mjs|js|css|html|svg|md|ya?ml|jsonc?|sh|sql|tpl|txt|cfg|cnf|example)$|(?:Docker|Caddy)file$|^\.ci\//.test(
    path,
  );

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

it('sources and pages use the standard terms', () => {
  const files = [...listFiles(), ...listFiles('.github'), ...listFiles('.ci'), '.env.example'];
  const texts = files.filter((path) => isText(path) && !exempt.test(path));
  expect(texts.flatMap((path) => findAvoidedWords(path, read(path)))).toEqual([]);
});

it('doc comments begin with a noun, a verb or "Whether"', () => {
  expect(listSources().flatMap((path) => findFragments(path, read(path)))).toEqual([]);
});
