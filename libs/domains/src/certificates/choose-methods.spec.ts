import { describe, expect, it } from '@jest/globals';
import { chooseMethods, type MethodFacts } from './choose-methods.js';

const now = new Date('2026-01-01T00:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const live: MethodFacts = {
  name: 'docs.example.com',
  state: 'live',
  delegatedAt: null,
  preparedAt: null,
  elsewhereSince: null,
  prepareMaxDays: 90,
  previous: null,
  failed: null,
};
const awaiting: MethodFacts = { ...live, state: 'awaiting_dns', preparedAt: daysAgo(1) };
const delegated = { delegatedAt: daysAgo(1) };

describe('the methods of an attempt', () => {
  it.each<[string, MethodFacts, string]>([
    ['a served name', live, 'http-01'],
    ['a removed name', { ...live, ...delegated, state: 'removed' }, ''],
    ['a verified name', { ...live, state: 'verified' }, 'http-01'],
    ['a served name with a delegation', { ...live, ...delegated }, 'http-01 dns-01'],
    ['a name that awaits its DNS', awaiting, ''],
    ['a prepared name', { ...awaiting, ...delegated }, 'dns-01'],
    ['a name whose preparation has expired', { ...awaiting, ...delegated, preparedAt: daysAgo(90) }, ''],
    ['a served wildcard', { ...live, ...delegated, name: '*.example.com' }, 'dns-01'],
    ['a served wildcard without the delegation', { ...live, name: '*.example.com' }, ''],
    ['a certificate by HTTP-01', { ...live, ...delegated, previous: 'http-01' }, 'http-01 dns-01'],
    ['a certificate by DNS-01', { ...live, ...delegated, previous: 'dns-01' }, 'dns-01 http-01'],
    ['a certificate by DNS-01 without the delegation', { ...live, previous: 'dns-01' }, 'http-01'],
    ['a challenge that has failed', { ...live, ...delegated, failed: 'http-01' }, 'dns-01 http-01'],
    [
      'a certificate by DNS-01 whose renewal has failed',
      { ...live, ...delegated, previous: 'dns-01', failed: 'dns-01' },
      'http-01 dns-01',
    ],
    [
      'a name that has left',
      { ...live, ...delegated, previous: 'dns-01', elsewhereSince: daysAgo(29) },
      'dns-01 http-01',
    ],
    [
      'a name that has left for 30 days',
      { ...live, ...delegated, previous: 'dns-01', elsewhereSince: daysAgo(30) },
      'http-01',
    ],
  ])('of %s', (_title, facts, methods) => {
    expect(chooseMethods(facts, now).join(' ')).toBe(methods);
  });
});
