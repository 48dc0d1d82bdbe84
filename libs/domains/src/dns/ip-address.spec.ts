import { describe, expect, it } from '@jest/globals';
import { isInRange, isSameAddress, parseIpAddress } from './ip-address.js';

describe('parseIpAddress', () => {
  it.each([
    ['192.0.2.1', 4, 0xc0000201n],
    ['::1', 6, 1n],
    ['::', 6, 0n],
    ['2001:db8::7', 6, 0x20010db8000000000000000000000007n],
    ['::ffff:192.0.2.1', 6, 0xffffc0000201n],
    ['::ffff:192.10.20.130', 6, 0xffffc00a1482n],
    ['1:2:3:4:5:6:7::', 6, 0x10002000300040005000600070000n],
    ['1:2:3:4:5:6:7:8', 6, 0x10002000300040005000600070008n],
  ])('reads %s', (text, family, bits) => expect(parseIpAddress(text)).toEqual({ family, bits }));

  it.each([
    '',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.01',
    '1:2:3',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    'g::1',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'x1::',
    '1x::',
    '::1.2.3.4x',
    '::1.2.3.999',
    'x1.2.3.4::',
    'a.example',
  ])('refuses %j', (text) => expect(parseIpAddress(text)).toBeNull());
});

it.each([
  ['2001:DB8::7', '2001:db8:0:0::7', true],
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '::ffff:192.0.2.1', false],
  ['192.0.2.1', '192.0.2.2', false],
  ['0.0.0.1', '::1', false],
  ['a.example', 'a.example', true],
  ['a.example', 'b.example', false],
  ['192.0.2.1', 'a.example', false],
  ['a.example', '192.0.2.1', false],
])('%s and %s: the same %s', (one, other, same) => expect(isSameAddress(one, other)).toBe(same));

it.each([
  ['104.16.0.1', '104.16.0.0/13', true],
  ['104.23.255.255', '104.16.0.0/13', true],
  ['104.24.0.0', '104.16.0.0/13', false],
  ['2606:4700::6810:1', '2606:4700::/32', true],
  ['2606:4701::1', '2606:4700::/32', false],
  ['104.16.0.1', '2606:4700::/32', false],
  ['::1', '0.0.0.0/0', false],
  ['a.example', '0.0.0.0/0', false],
  ['192.0.2.1', 'a.example/8', false],
])('%s in %s: %s', (address, range, isIn) => expect(isInRange(address, range)).toBe(isIn));
