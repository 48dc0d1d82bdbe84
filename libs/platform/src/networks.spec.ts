import { describe, expect, it } from '@jest/globals';
import { addressGroup, isNetwork, Networks } from './networks.js';

describe('isNetwork', () => {
  it.each([
    ['10.0.0.0/8', true],
    ['fd00::/8', true],
    ['::1', true],
    ['10.0.0.0/33', false],
    ['10.0.0.0/', false],
    ['proxy.example', false],
    ['10.0.0.0/8/8', false],
  ])('%s: %s', (text, expected) => expect(isNetwork(text)).toBe(expected));
});

describe('Networks', () => {
  const networks = new Networks(['10.0.0.0/8', 'fd00::1']);

  it.each([
    ['10.9.9.9', true],
    ['11.0.0.1', false],
    ['fd00::1', true],
    ['fd00::2', false],
  ])('includes %s: %s', (address, expected) => expect(networks.includes(address)).toBe(expected));
});

describe('addressGroup', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ])('%s counts for %s', (address, group) => expect(addressGroup(address)).toBe(group));
});
