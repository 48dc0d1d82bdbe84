import { expect, it } from '@jest/globals';
import { instructionsFor, isProvider, providerOf, providers, type Provider } from './dns-providers.js';

const subdomain = {
  apexName: 'example.com',
  records: [{ type: 'CNAME', name: 'docs', ttl: 3600 }],
} as const;
const apex = {
  apexName: 'example.com',
  records: [{ type: 'ALIAS', name: '@', ttl: 3600 }],
} as const;
const address = (type: 'A' | 'AAAA', value: string) => ({ type, name: '@', value, ttl: 3600 }) as const;
const addresses = [address('A', '203.0.113.7'), address('A', '203.0.113.8'), address('AAAA', '2001:db8::7')];
const proof = { type: 'TXT', name: '_platform-challenge', ttl: 3600 } as const;
const withAddresses = {
  ...apex,
  records: [{ ...apex.records[0], alternatives: addresses }, proof],
};

it.each(Object.keys(providers) as Provider[])('%s: the instructions for a subdomain contain the record', (provider) => {
  const text = instructionsFor(provider, subdomain).join(' ');
  expect(text).toMatch(
    /Type CNAME, [A-Z][a-z ]+ docs, [A-Z][a-z]+: copy the value of the CNAME record above, TTL 3600\./,
  );
});

it.each([
  ['namecheap', 'Type ALIAS, Host @, Value: copy the value of the ALIAS record above, TTL 3600.'],
  ['cloudflare', 'Type CNAME, Name @, Target: copy the value of the ALIAS record above, TTL 3600.'],
  ['other', 'Type ALIAS or ANAME, Name @, Value: copy the value of the ALIAS record above, TTL 3600.'],
] as const)('%s: the instructions for an apex contain the record', (provider, line) =>
  expect(instructionsFor(provider, apex)).toContain(line),
);

it.each(['godaddy', 'route53'] as const)('%s: the instructions for an apex suggest www', (provider) => {
  expect(instructionsFor(provider, apex).join(' ')).toContain('Add www.example.com instead');
});

it.each([
  [
    'godaddy',
    'Instead of ALIAS: Type A, Name @, Value: copy the 2 A addresses below the ALIAS record above, each as its own record, TTL 3600.',
    'Instead of ALIAS: Type AAAA, Name @, Value: copy the AAAA address below the ALIAS record above, TTL 3600.',
  ],
  [
    'route53',
    'Instead of ALIAS: Type A, Record name empty, Value: copy the 2 A addresses below the ALIAS record above, each on its own line, TTL 3600.',
    'Instead of ALIAS: Type AAAA, Record name empty, Value: copy the AAAA address below the ALIAS record above, TTL 3600.',
  ],
] as const)('%s: the instructions for an apex with known addresses create those', (provider, ...lines) => {
  const steps = instructionsFor(provider, withAddresses);
  expect(steps).toEqual(expect.arrayContaining([...lines]));
  expect(steps.join(' ')).not.toContain('www.');
});

it('the instructions name no AAAA record where there is no such address', () => {
  const records = [{ ...apex.records[0], alternatives: addresses.slice(0, 1) }];
  expect(instructionsFor('godaddy', { ...apex, records }).join(' ')).not.toContain('AAAA');
});

it.each([
  ['namecheap', 'Type ALIAS, Host @,'],
  ['cloudflare', 'Type CNAME, Name @,'],
  ['other', 'Type ALIAS or ANAME, Name @,'],
] as const)('%s: the addresses of an apex are the second way', (provider, first) => {
  const step = instructionsFor(provider, withAddresses).find((line) => line.includes('A and AAAA')) ?? '';
  expect(step.startsWith(first)).toBe(true);
  expect(step).toMatch(/TTL 3600\. Or create the A and AAAA records below its value instead, all of them\.$/);
});

it.each(Object.keys(providers) as Provider[])('%s: the addresses need the TXT record as well', (provider) => {
  const [withProof, without] = [withAddresses, { ...apex, records: [...apex.records, proof] }].map((domain) =>
    instructionsFor(provider, domain).find((line) => line.startsWith('Type TXT')),
  );
  expect(withProof).toBe(
    `${without} Create it together with the other records: addresses do not show whose domain it is.`,
  );
});

it('a CNAME that is flattened has the addresses as the second way', () => {
  const records = [{ ...subdomain.records[0], alternatives: addresses.slice(2) }];
  expect(instructionsFor('godaddy', { ...subdomain, records })).toContain(
    'Type CNAME, Name docs, Value: copy the value of the CNAME record above, TTL 3600. ' +
      'Or create the AAAA record below its value instead.',
  );
});

it.each([
  ['gandi', true],
  ['toString', false],
  ['', false],
])('isProvider(%j) is %s', (value, expected) => expect(isProvider(value)).toBe(expected));

it.each([
  ['cloudflare', ['ada.ns.cloudflare.com', 'Bob.NS.Cloudflare.com']],
  ['godaddy', ['ns51.domaincontrol.com', 'ns52.domaincontrol.com']],
  ['namecheap', ['dns1.registrar-servers.com', 'dns2.registrar-servers.com']],
  ['route53', ['ns-1.awsdns-00.com', 'ns-1030.awsdns-00.org', 'ns-2.awsdns-63.net', 'ns-2000.awsdns-58.co.uk']],
  ['squarespace', ['ns-cloud-a1.googledomains.com', 'ns-cloud-a2.googledomains.com']],
  ['squarespace', ['connect1.squarespacedns.com', 'connect2.squarespacedns.com']],
  ['gandi', ['ns-10-a.gandi.net', 'ns-10-b.gandi.net']],
])('%s is detected by the name servers %j', (provider, names) => expect(providerOf(names)?.provider).toBe(provider));

it.each([
  ['DigitalOcean', ['ns1.digitalocean.com', 'ns2.digitalocean.com']],
  ['Vercel', ['ns1.vercel-dns.com', 'ns2.vercel-dns.com']],
  ['NS1 (used by Netlify)', ['dns1.p01.nsone.net', 'dns2.p01.nsone.net']],
  ['OVHcloud', ['dns10.ovh.net', 'ns10.ovh.net']],
  ['OVHcloud', ['dns200.anycast.me', 'ns200.anycast.me']],
  ['IONOS', ['ns1045.ui-dns.biz', 'ns1045.ui-dns.com', 'ns1045.ui-dns.de', 'ns1045.ui-dns.org']],
  ['Hetzner', ['helium.ns.hetzner.de', 'hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com']],
  ['Hetzner', ['ns1.first-ns.de', 'robotns2.second-ns.de', 'robotns3.second-ns.com']],
  ['Azure', ['ns1-01.azure-dns.com', 'ns2-01.azure-dns.net']],
])('%s is detected by the name servers %j, with the generic instructions', (label, names) =>
  expect(providerOf(names)).toEqual({ label, provider: 'other' }),
);

it.each([
  ['none', []],
  ['own name servers', ['ns1.example.com', 'ns2.example.com']],
  ['a similar suffix', ['ns1.notgandi.net', 'ns2.notgandi.net']],
  ['a known name as a prefix', ['ada.ns.cloudflare.com.example.net']],
  ['the bare suffix', ['gandi.net']],
  ['two providers', ['ada.ns.cloudflare.com', 'ns-10-a.gandi.net']],
  ['a known and an unknown provider', ['ada.ns.cloudflare.com', 'ns1.example.com']],
])('no provider is detected by %s', (_case, names) => expect(providerOf(names)).toBeNull());
