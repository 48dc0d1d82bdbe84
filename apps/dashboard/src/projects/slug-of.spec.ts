import { expect, it } from '@jest/globals';
import { slugOf, unreservedSlug } from './slug-of.js';

it.each([
  ['Acme Docs', 'acme-docs'],
  ['  Café -- Zoë! ', 'cafe-zoe'],
  ['<img>', 'img'],
  ['日本', ''],
  ['a'.repeat(62) + ' b', 'a'.repeat(62)],
])('%j', (name, slug) => expect(slugOf(name)).toBe(slug));

it.each([
  ['login', 'login-site'],
  ['a'.repeat(63), `${'a'.repeat(58)}-site`],
  [`${'a'.repeat(57)}-bcdef`, `${'a'.repeat(57)}-site`],
])('instead of %j, which is reserved: %j', (reserved, slug) => expect(unreservedSlug(reserved)).toBe(slug));
