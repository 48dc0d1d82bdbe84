import { describe, expect, it } from '@jest/globals';
import { asciiPartOf, partsOf } from './domain-list.query.js';

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
])('the part %j is searched as %j', (term, ascii) => {
  expect(asciiPartOf(term)).toBe(ascii);
});

describe('a search', () => {
  const limit = 50;

  it('finds names that begin with the text first, however many there are, then those that contain it', () => {
    expect(partsOf({ status: null, search: 'docs', order: 'problems' })).toEqual([
      { limit, sort: 'name', q: 'docs' },
      { limit, sort: '-createdAt', contains: 'docs', misconfigured: true },
      { limit, sort: '-createdAt', contains: 'docs', misconfigured: false },
    ]);
    expect(partsOf({ status: 'live', search: 'docs', order: '-name' })).toEqual([
      { limit, sort: '-name', q: 'docs', state: 'live' },
      { limit, sort: '-name', contains: 'docs', state: 'live' },
    ]);
    expect(partsOf({ status: 'misconfigured', search: 'docs', order: 'problems' })).toEqual([
      { limit, sort: 'name', q: 'docs', misconfigured: true },
      { limit, sort: '-createdAt', contains: 'docs', misconfigured: true },
    ]);
  });

  it('keeps an order of creation', () => {
    expect(partsOf({ status: null, search: 'docs', order: 'createdAt' })).toEqual([
      { limit, sort: 'createdAt', contains: 'docs' },
    ]);
  });

  it('is not there without a text', () => {
    expect(partsOf({ status: null, search: '', order: 'problems' })).toEqual([
      { limit, sort: '-createdAt', misconfigured: true },
      { limit, sort: '-createdAt', misconfigured: false },
    ]);
    expect(partsOf({ status: 'verified', search: '', order: 'name' })).toEqual([
      { limit, sort: 'name', state: 'verified' },
    ]);
  });
});
