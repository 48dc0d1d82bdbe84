import { expect, it } from '@jest/globals';
import { slugOf } from './slug-of.js';

it.each([
  ['Acme Docs', 'acme-docs'],
  ['  Café -- Zoë! ', 'cafe-zoe'],
  ['<img>', 'img'],
  ['日本', ''],
  ['a'.repeat(62) + ' b', 'a'.repeat(62)],
])('%j', (name, slug) => expect(slugOf(name)).toBe(slug));
