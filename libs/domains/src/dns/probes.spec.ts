import { describe, expect, it } from '@jest/globals';
import { isProbe, isZoneProbe, parentOf, wildcardProbeOf, zoneProbeOf } from './probes.js';

const nonce = '0123456789abcdef';

describe('a zone probe', () => {
  it.each([
    [zoneProbeOf('www.example.com', nonce), 'www.example.com', true],
    [zoneProbeOf('www.example.com', nonce), 'example.com', false],
    ['ns1.www.example.com', 'www.example.com', false],
    [wildcardProbeOf('a.www.example.com', nonce), 'www.example.com', false],
    [`x.${zoneProbeOf('www.example.com', nonce)}`, zoneProbeOf('www.example.com', nonce), false],
    ['zone-probe-0123.www.example.com', 'www.example.com', false],
    ['zone-probe-ghijklmnopqrstuv.www.example.com', 'www.example.com', false],
  ])('%s of %s: %s', (host, name, isOfName) => expect(isZoneProbe(host, name)).toBe(isOfName));
});

describe('a probe of any kind', () => {
  it.each([
    [zoneProbeOf('www.example.com', nonce), true],
    [wildcardProbeOf('www.example.com', nonce), true],
    ['www.example.com', false],
  ])('%s: %s', (host, isAny) => expect(isProbe(host)).toBe(isAny));
});

it('a single label has no parent', () => expect(parentOf('com')).toBe(''));
