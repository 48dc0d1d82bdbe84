import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../src/repository.js';
import { findRecipeFaults, readRecipes } from '../src/sources/named-paths.js';
import { listFiles } from '../src/sources/import-graph.js';

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');
const recipes = readRecipes(read('CONTRIBUTING.md'));

/**
 * No existing one is an example: fields of a pet and methods of challenges are as old as the pages, tests and benchmarks that
 * use them.
 */
const withoutExample = ['A field of a pet', 'A method of challenges'];

/** Written by `npm run generate`, by benchmarks, or about the past. */
const isAboutOthers = (path: string) =>
  /^(CHANGELOG|CONTRIBUTING)\.md$|^docs\/(decisions|measured|images)\//.test(path) ||
  /^docs\/(openapi\.json|(diagnoses|reserved-names|webhook-events|operations\/settings)\.md)$/.test(path) ||
  /^(libs\/client\/src\/schema\.ts|deploy\/helm\/values\.schema\.json)$/.test(path);

const isText = (path: string) => /\.(tsx?|mjs|json|ya?ml|md|css|html)$/.test(path);

describe('a recipe', () => {
  it('follows an example', () => {
    expect(recipes.filter(({ examples }) => examples.length === 0).map(({ title }) => title)).toEqual(withoutExample);
  });

  const followed = recipes.filter(({ examples }) => examples.length > 0);

  it.each(followed.map((recipe) => [recipe.title, recipe] as const))(
    'for %s names the files that contain its example, and no other',
    (_title, recipe) => {
      const files = listFiles().filter((path) => isText(path) && !isAboutOthers(path));
      const texts = new Map(files.map((path) => [path, read(path)]));
      expect(findRecipeFaults(recipe, texts)).toEqual({ unnamed: [], unneeded: [] });
    },
  );
});
