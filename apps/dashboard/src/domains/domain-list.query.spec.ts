import { expect, it } from '@jest/globals';
import { asciiPrefixOf } from './domain-list.query.js';

it.each([
  ['', ''],
  ['docs.Exam', 'docs.Exam'],
  ['*.docs', '*.docs'],
  ['bücher', 'xn--bcher-kva'],
  ['Bücher.exam', 'xn--bcher-kva.exam'],
  ['bücher.', 'xn--bcher-kva.'],
  ['*.bücher', '*.xn--bcher-kva'],
  ['日本', 'xn--wgv71a'],
  ['bücher/a', null],
  ['bü cher', null],
  ['bücher:80', null],
  ['a b', null],
  ['日本.'.repeat(60), null],
])('the beginning %j is searched as %j', (term, ascii) => {
  expect(asciiPrefixOf(term)).toBe(ascii);
});
