import { describe, expect, it } from '@jest/globals';
import { loggedPath } from './logged-path.js';

describe('loggedPath', () => {
  it.each([
    ['/', '/'],
    ['/a/b.css', '/a/b.css'],
    ['/reset?token=secret', '/reset'],
    ['/a#b', '/a'],
    ['/a?b?c\n', '/a'],
    ['*', '*'],
    ['http://user:secret@docs.example.com/a?b', '/a'],
    ['/.well-known/acme-challenge/AbC_def-123?x', '/.well-known/acme-challenge/[token]'],
    ['//.well-known/acme-challenge/AbC_def-123', '/.well-known/acme-challenge/[token]'],
    [`/${'a'.repeat(600)}`, `/${'a'.repeat(499)}`],
    ['', ''],
  ])('%j is kept as %j', (target, path) => expect(loggedPath(target)).toBe(path));
});
