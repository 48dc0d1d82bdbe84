import { expect, it } from '@jest/globals';
import type { DnsAnswer } from '@pets/contracts';
import { absent, failed, found, sub, target } from '../../test/dns-findings.js';
import { followChain, type Chain } from './evaluate-server.js';

type Answers = Record<string, DnsAnswer[]>;
const hosts = (count: number) => Array.from({ length: count }, (_, nth) => `h${nth + 1}.net`);
/** Each host leads to the next one. */
const chain = (...hops: string[]): Answers =>
  Object.fromEntries([sub.name, ...hops].slice(0, -1).map((from, nth) => [from, [found(hops[nth] ?? '')]]));

it.each<[string, Answers, Chain]>([
  ['the target', chain(target), { kind: 'reached' }],
  ['no record', { [sub.name]: [absent] }, { kind: 'ended', hops: [] }],
  ['a host that nobody answers for', chain('h1.net'), { kind: 'ended', hops: ['h1.net'] }],
  ['a host without a record', { ...chain('h1.net'), 'h1.net': [absent] }, { kind: 'ended', hops: ['h1.net'] }],
  ['a host whose lookup fails', { ...chain('h1.net'), 'h1.net': [failed] }, { kind: 'failed', error: 'ESERVFAIL' }],
  [
    'a host whose lookup fails at one server',
    { ...chain('h1.net'), 'h1.net': [failed, found(target)] },
    { kind: 'reached' },
  ],
  ['itself', chain('h1.net', sub.name), { kind: 'ended', hops: ['h1.net', sub.name] }],
  ['a loop', chain('h1.net', 'h2.net', 'h1.net'), { kind: 'ended', hops: ['h1.net', 'h2.net', 'h1.net'] }],
  ['the target by seven hosts', chain(...hosts(7), target), { kind: 'reached' }],
  ['too many hosts', chain(...hosts(8), target), { kind: 'ended', hops: hosts(8) }],
  [
    'more hosts than are known',
    { [sub.name]: [{ ...found('H1.net', 'h2.net'), omitted: 3 } as DnsAnswer] },
    { kind: 'ended', hops: ['h1.net'] },
  ],
  [
    'one end by two ways: the first is returned',
    { [sub.name]: [found('h1.net', 'h2.net')], 'h1.net': [found('h3.net')], 'h2.net': [found('h3.net')] },
    { kind: 'ended', hops: ['h1.net', 'h3.net'] },
  ],
])('CNAMEs lead to %s', (_name, answers, end) => {
  const view = {
    server: '1',
    isAuthoritative: false,
    hasCname: true,
    answersTo: (name: string) => answers[name] ?? [],
  };
  expect(followChain(view, sub)).toEqual(end);
});
