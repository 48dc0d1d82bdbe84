import { describe, expect, it } from '@jest/globals';
import { isPublicAddress, proxyOfAddress, proxyOfHost } from './address-ranges.js';
import { isWildcardProbe, wildcardProbeOf } from './probes.js';

describe('isPublicAddress', () => {
  it.each([
    ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
    ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
    ...['191.255.255.255', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
    ...['223.255.255.255', '2606:4700::1', '2a00::1', '2001:200::1', '2001:4860:4860::8888', '2003::1', '3fff:1000::1'],
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    // IANA IPv4 Special-Purpose Address Registry: the first and the last of each row.
    ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.0'],
    ...['127.0.0.53', '127.255.255.255', '169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255'],
    ...['192.0.0.0', '192.0.0.8', '192.0.0.9', '192.0.0.10', '192.0.0.170', '192.0.0.171', '192.0.0.255', '192.0.2.0'],
    ...['192.0.2.255', '192.31.196.1', '192.52.193.1', '192.88.99.0', '192.88.99.2', '192.88.99.255', '192.168.0.0'],
    ...['192.168.255.255', '192.175.48.1', '198.18.0.0', '198.19.255.255', '198.51.100.7', '203.0.113.7', '240.0.0.0'],
    ...['255.255.255.254', '255.255.255.255', '224.0.0.1', '232.0.0.1', '239.255.255.255'],
  ])('%s is in a special range of IPv4', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    // IANA IPv6 Special-Purpose Address Registry.
    ...['::', '::1', '64:ff9b::', '64:ff9b::a00:1', '64:ff9b::7f00:1', '64:ff9b::1.1.1.1', '64:ff9b:1::1', '100::1'],
    ...['100:0:0:1::1', '2001::1', '2001:0:a00:1::', '2001:1::1', '2001:1::2', '2001:1::3', '2001:2::1', '2001:3::1'],
    ...['2001:4:112::1', '2001:10::1', '2001:20::1', '2001:30::1', '2001:1ff:ffff::1', '2001:db8::1', '2002::1'],
    ...['2002:a00:1::', '2002:7f00:1::1', '2620:4f:8000::1', '3fff::1', '3fff:fff:ffff::1', '5f00::1', 'fc00::1'],
    ...['fdff:ffff::1', 'fe80::1', 'febf::1'],
    // Deprecated, multicast, unassigned.
    ...['fec0::1', 'feff::1', 'ff02::1', 'ff0e::1', '3ffe::1', '4000::1', '200::1', '1fff::1', 'e000::1', '::2'],
  ])('%s is in a special range of IPv6', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    ['IPv4-mapped', '::ffff:10.0.0.1'],
    ['IPv4-mapped, in hexadecimal', '::ffff:a00:1'],
    ['IPv4-mapped, of a public address', '::ffff:1.1.1.1'],
    ['IPv4-mapped, written out', '0:0:0:0:0:ffff:7f00:1'],
    ['IPv4-translated (SIIT)', '::ffff:0:10.0.0.1'],
    ['IPv4-translated (SIIT), in hexadecimal', '::ffff:0:7f00:1'],
    ['IPv4-translated (SIIT), of a public address', '::ffff:0:1.1.1.1'],
    ['IPv4-compatible', '::10.0.0.1'],
    ['with a zone id', 'fe80::1%eth0'],
    ['public with a zone id', '2606:4700::1%lo'],
    ['upper case', 'FD00::1'],
  ])('an address that is %s (%s) is not public', (_name, address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    ['AWS, Azure, Google Cloud, DigitalOcean', '169.254.169.254'],
    ['AWS, credentials of containers', '169.254.170.2'],
    ['AWS over IPv6', 'fd00:ec2::254'],
    ['AWS, DNS over IPv6', 'fd00:ec2::253'],
    ['Google Cloud over IPv6', 'fd20:ce::254'],
    ['Scaleway over IPv6', 'fd00:42::42'],
    ['OpenStack over IPv6', 'fe80::a9fe:a9fe'],
    ['Alibaba Cloud', '100.100.100.200'],
    ['Oracle Cloud', '192.0.0.192'],
    ['Azure’s platform services', '168.63.129.16'],
    ['IBM Cloud’s services', '161.26.0.10'],
    ['IBM Cloud’s services', '166.9.48.1'],
    ['Google Cloud’s services', '199.36.153.8'],
  ])('%s (%s) is not public', (_name, address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['', 'ns1.example', '1.1.1', '0x7f.1', '2130706433', '1.1.1.1:80', '[2606:4700::1]', ' 1.1.1.1', '01.1.1.1'])(
    '%j is no address',
    (text) => expect(isPublicAddress(text)).toBe(false),
  );
});

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
