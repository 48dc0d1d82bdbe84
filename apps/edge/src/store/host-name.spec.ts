import { describe, expect, it } from '@jest/globals';
import { originRow } from '@pets/contracts/edge-feed';
import { isDirectSubdomain, normalizeHost } from './host-name.js';

describe('normalizeHost', () => {
  it.each([
    ['docs.example.com', 'docs.example.com'],
    ['Docs.Example.COM', 'docs.example.com'],
    ['docs.example.com:8443', 'docs.example.com'],
    ['docs.example.com.', 'docs.example.com'],
    ['docs.example.com.:443', 'docs.example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['', undefined],
    ['.', undefined],
    [':443', undefined],
    ['[::1]:443', undefined],
    ['user@docs.example.com', undefined],
    ['docs.example.com/path', undefined],
    ['docs.example.com:port', undefined],
    ['docs.example.com, other.example.com', undefined],
    ['a'.repeat(300), undefined],
    // The key of an origin's row in the route table.
    [originRow('7c1d1a1e-4b0b-4f53-9a3d-0d6c5b1f2e77'), undefined],
    [originRow('12345'), 'origin'],
  ])('%j is %j', (raw, host) => expect(normalizeHost(raw)).toBe(host));
});

describe('isDirectSubdomain', () => {
  it.each([
    ['acme.pets.test', true],
    ['a.b.pets.test', false],
    ['pets.test', false],
    ['.pets.test', false],
    ['evilpets.test', false],
    ['acme.pets.test.example', false],
  ])('%s: %s', (host, expected) => expect(isDirectSubdomain(host, 'pets.test')).toBe(expected));
});
