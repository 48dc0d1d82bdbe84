import { expect, it } from '@jest/globals';
import { providerOf } from './provider-of.js';

it.each([
  ['cloudflare', ['ada.ns.cloudflare.com', 'Bob.NS.Cloudflare.com']],
  ['godaddy', ['ns51.domaincontrol.com', 'ns52.domaincontrol.com']],
  ['namecheap', ['dns1.registrar-servers.com', 'dns2.registrar-servers.com']],
  ['route53', ['ns-1.awsdns-00.com', 'ns-1030.awsdns-00.org', 'ns-2.awsdns-63.net', 'ns-2000.awsdns-58.co.uk']],
  ['squarespace', ['ns-cloud-a1.googledomains.com', 'ns-cloud-a2.googledomains.com']],
  ['squarespace', ['connect1.squarespacedns.com', 'connect2.squarespacedns.com']],
  ['gandi', ['ns-10-a.gandi.net', 'ns-10-b.gandi.net']],
])('%s has instructions for %j', (provider, names) => expect(providerOf(names)?.provider).toBe(provider));

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
])('%s is named for %j, with the instructions for all', (label, names) =>
  expect(providerOf(names)).toEqual({ label, provider: 'other' }),
);

it.each([
  ['none', []],
  ['one’s own', ['ns1.example.com', 'ns2.example.com']],
  ['a name that only ends alike', ['ns1.notgandi.net', 'ns2.notgandi.net']],
  ['a name that only begins alike', ['ada.ns.cloudflare.com.example.net']],
  ['the bare suffix', ['gandi.net']],
  ['two providers', ['ada.ns.cloudflare.com', 'ns-10-a.gandi.net']],
  ['a known one and an unknown one', ['ada.ns.cloudflare.com', 'ns1.example.com']],
])('nobody is recognised by %s', (_case, names) => expect(providerOf(names)).toBeNull());
