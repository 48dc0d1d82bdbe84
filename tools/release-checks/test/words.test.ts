import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { REPOSITORY } from '../src/repository.js';
import { listFiles } from '../src/sources/import-graph.js';
import { findAvoidedWords } from '../src/sources/words.js';

/** The list of words itself, and migrations, which are frozen. */
const exempt =
  /^tools\/release-checks\/src\/sources\/words\.|^libs\/persistence\/src\/migrations\/|^package-lock\.json$/;
const isText = (path: string) => /\.(tsx?|mjs|js|css|html|md|ya?ml|json|jsonc|sh)$/.test(path);

it('sources and pages use the standard terms', () => {
  const texts = listFiles().filter((path) => isText(path) && !exempt.test(path));
  const found = texts.flatMap((path) => findAvoidedWords(path, readFileSync(join(REPOSITORY, path), 'utf8')));
  expect(found).toEqual([]);
});
