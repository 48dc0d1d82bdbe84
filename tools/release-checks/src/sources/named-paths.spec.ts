import { expect, it } from '@jest/globals';
import { findRecipeFaults, readRecipes } from './named-paths.js';

const page = `# Contributing

## A release

Without steps.

## A colour

Follow \`dark.red\` and
\`DarkRed\`.

1. **Name.** \`src/colours.ts\`.
2. **Use.** \`src/paint.ts\`, and the list of \`test/paint.test.ts\`.

Check: \`jest\` in \`libs/paint\`.
`;

const texts = { 'src/colours.ts': "'dark.red'", 'src/paint.ts': 'DarkRed()', 'test/paint.test.ts': "['dark.red']" };

const faultsWith = (changes: Readonly<Record<string, string>>) => {
  const [recipe] = readRecipes(page);
  if (recipe === undefined) throw new Error('no recipe');
  return findRecipeFaults(recipe, new Map(Object.entries({ ...texts, ...changes })));
};

it('reads examples and files of the sections with steps', () => {
  const paths = ['src/colours.ts', 'src/paint.ts', 'test/paint.test.ts'];
  expect(readRecipes(page)).toEqual([{ title: 'A colour', examples: ['dark.red', 'DarkRed'], paths }]);
});

it.each([
  ['a recipe that names each file with its example', {}, [], []],
  ['a file that the recipe does not name', { 'src/mix.ts': "'dark.red'" }, ['src/mix.ts'], []],
  ['a file that no longer contains the example', { 'src/paint.ts': '' }, [], ['src/paint.ts']],
  ['other names that contain the example', { 'src/mix.ts': "'dark.reddish' DarkRedder" }, [], []],
  ['tests of the example', { 'src/colours.spec.ts': "'dark.red'" }, [], []],
  ['a list of a test that no longer contains the example', { 'test/paint.test.ts': '' }, [], ['test/paint.test.ts']],
])('finds in %s', (_what, changes, unnamed, unneeded) => {
  expect(faultsWith(changes)).toEqual({ unnamed, unneeded });
});
