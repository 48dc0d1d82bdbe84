import { describe, expect, it } from '@jest/globals';
import { baseNameOf, counterpartOf } from './wildcard-name.js';

describe('names of wildcards', () => {
  it.each([
    // name, base, counterpart
    ['*.example.com', 'example.com', 'example.com'],
    ['*.docs.example.com', 'docs.example.com', 'docs.example.com'],
    ['example.com', 'example.com', '*.example.com'],
    ['a.example.com', 'a.example.com', '*.a.example.com'],
  ])('%s', (name, base, counterpart) => {
    expect(baseNameOf(name)).toBe(base);
    expect(counterpartOf(name)).toBe(counterpart);
  });
});
