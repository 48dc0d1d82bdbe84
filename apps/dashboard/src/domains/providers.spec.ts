import { expect, it } from '@jest/globals';
import { instructionsFor, isProvider, providers, type Provider } from './providers.js';

const subdomain = {
  apexName: 'example.com',
  records: [{ type: 'CNAME', name: 'docs', value: 't.cname.pets.example', ttl: 3600 }],
} as const;
const apex = {
  apexName: 'example.com',
  records: [{ type: 'ALIAS', name: '@', value: 't.cname.pets.example', ttl: 3600 }],
} as const;

it.each(Object.keys(providers) as Provider[])('%s: the record of a subdomain is named exactly', (provider) => {
  const text = instructionsFor(provider, subdomain).join(' ');
  expect(text).toMatch(/Type CNAME, [A-Z][a-z ]+ docs, [A-Z][a-z]+ t\.cname\.pets\.example, TTL 3600\./);
});

it.each([
  ['namecheap', 'Type ALIAS, Host @, Value t.cname.pets.example, TTL 3600.'],
  ['cloudflare', 'Type CNAME, Name @, Target t.cname.pets.example, TTL 3600.'],
  ['other', 'Type ALIAS or ANAME, Name @, Value t.cname.pets.example, TTL 3600.'],
] as const)('%s: an apex', (provider, line) => expect(instructionsFor(provider, apex)).toContain(line));

it.each(['godaddy', 'route53'] as const)('%s: says that an apex cannot be pointed there', (provider) => {
  expect(instructionsFor(provider, apex).join(' ')).toContain('Add www.example.com instead');
});

it('knows only its own', () => expect(['gandi', 'toString', ''].map(isProvider)).toEqual([true, false, false]));
