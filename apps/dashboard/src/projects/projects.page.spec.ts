import { expect, it } from '@jest/globals';
import { slugOf, unreservedSlug } from './projects.page.js';

it.each([
  ['Acme Docs', 'acme-docs'],
  ['  Café -- Zoë! ', 'cafe-zoe'],
  ['<img>', 'img'],
  ['日本', ''],
  ['a'.repeat(62) + ' b', 'a'.repeat(62)],
])('slugOf(%j) is %j', (name, slug) => expect(slugOf(name)).toBe(slug));

it.each([
  ['login', 'login-site'],
  ['a'.repeat(63), `${'a'.repeat(58)}-site`],
  [`${'a'.repeat(57)}-bcdef`, `${'a'.repeat(57)}-site`],
])('unreservedSlug(%j) is %j', (reserved, slug) => expect(unreservedSlug(reserved)).toBe(slug));
