import { expect, it } from '@jest/globals';
import { anyProvider, providerById, providerOf, providers } from './providers.js';

it.each([
  ['cloudflare', ['ada.ns.cloudflare.com', 'Bob.NS.Cloudflare.com']],
  ['godaddy', ['ns51.domaincontrol.com', 'ns52.domaincontrol.com']],
  ['namecheap', ['dns1.registrar-servers.com', 'dns2.registrar-servers.com']],
  ['route53', ['ns-1.awsdns-00.com', 'ns-1030.awsdns-00.org', 'ns-2.awsdns-63.net', 'ns-2000.awsdns-58.co.uk']],
  ['squarespace', ['ns-cloud-a1.googledomains.com', 'ns-cloud-a2.googledomains.com']],
  ['squarespace', ['connect1.squarespacedns.com', 'connect2.squarespacedns.com']],
  ['gandi', ['ns-10-a.gandi.net', 'ns-10-b.gandi.net']],
  ['digitalocean', ['ns1.digitalocean.com', 'ns2.digitalocean.com']],
  ['vercel', ['ns1.vercel-dns.com', 'ns2.vercel-dns.com']],
  ['nsone', ['dns1.p01.nsone.net', 'dns2.p01.nsone.net']],
  ['ovh', ['dns10.ovh.net', 'ns10.ovh.net']],
  ['ovh', ['dns200.anycast.me', 'ns200.anycast.me']],
  ['ionos', ['ns1045.ui-dns.biz', 'ns1045.ui-dns.com', 'ns1045.ui-dns.de', 'ns1045.ui-dns.org']],
  ['hetzner', ['helium.ns.hetzner.de', 'hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com']],
  ['hetzner', ['ns1.first-ns.de', 'robotns2.second-ns.de', 'robotns3.second-ns.com']],
  ['hostinger', ['byte.dns-parking.com', 'pixel.dns-parking.com']],
  ['alibaba', ['dns9.hichina.com', 'dns10.hichina.com']],
  ['alibaba', ['ns1.alidns.com', 'ns2.alidns.com']],
  ['networksolutions', ['ns1.worldnic.com', 'ns2.worldnic.com']],
  ['dnsmadeeasy', ['ns10.dnsmadeeasy.com', 'ns11.dnsmadeeasy.com']],
  ['linode', ['ns1.linode.com', 'ns5.linode.com']],
  ['123reg', ['ns.123-reg.co.uk', 'ns2.123-reg.co.uk']],
  ['azure', ['ns1-01.azure-dns.com', 'ns2-01.azure-dns.net']],
])('%s is detected by the name servers %j', (id, names) => expect(providerOf(names)?.id).toBe(id));

it.each([
  ['none', []],
  ['own name servers', ['ns1.example.com', 'ns2.example.com']],
  ['a similar suffix', ['ns1.notgandi.net', 'ns2.notgandi.net']],
  ['a known name as a prefix', ['ada.ns.cloudflare.com.example.net']],
  ['the bare suffix', ['gandi.net']],
  ['two providers', ['ada.ns.cloudflare.com', 'ns-10-a.gandi.net']],
  ['a known and an unknown provider', ['ada.ns.cloudflare.com', 'ns1.example.com']],
])('no provider is detected by %s', (_case, names) => expect(providerOf(names)).toBeNull());

it.each(providers.map(({ id }) => id))('%s is found by its id', (id) => expect(providerById(id).id).toBe(id));

it.each(['other', 'toString', ''])('the id %j stands for any provider', (id) => {
  expect(providerById(id)).toBe(anyProvider);
});
