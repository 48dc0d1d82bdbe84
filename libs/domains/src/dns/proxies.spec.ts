import { expect, it } from '@jest/globals';
import { isWildcardProbe, wildcardProbeOf } from './probes.js';
import { proxyOfAddress, proxyOfHost } from './proxies.js';

it.each([
  ['104.16.132.229', 'Cloudflare'],
  ['2606:4700::6810:84e5', 'Cloudflare'],
  ['203.0.113.1', null],
])('the address %s is a proxy of %s', (address, owner) => expect(proxyOfAddress(address)).toBe(owner));

it.each([
  ['fastly.net', 'Fastly'],
  ['d1.cloudfront.net', 'Amazon CloudFront'],
  ['notfastly.net', null],
  ['fastly.net.example.com', null],
])('the host %s is a proxy of %s', (host, owner) => expect(proxyOfHost(host)).toBe(owner));

it.each([
  [wildcardProbeOf('docs.example.com', '0123456789abcdef'), true],
  [`x.${wildcardProbeOf('docs.example.com', '0123456789abcdef')}`, false],
  ['wildcard-probe-0123.example.com', false],
])('%s is a wildcard probe: %s', (host, isProbe) => expect(isWildcardProbe(host)).toBe(isProbe));
