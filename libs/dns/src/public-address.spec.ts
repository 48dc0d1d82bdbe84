import { expect, it } from '@jest/globals';
import { isPublicAddress } from './public-address.js';

it.each(['1.1.1.1', '203.0.113.1', '172.32.0.1', '100.128.0.1', '2606:4700::1', '2a00::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

it.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.53',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:1.1.1.1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  'fd00::1',
  'fe80::1',
  'ff02::1',
  'ns1.example',
  '',
])('%j is not', (address) => expect(isPublicAddress(address)).toBe(false));
