import { expect, it } from '@jest/globals';
import { formatServerAddress, parseServerAddress } from './server-address.js';

it.each([
  ['192.0.2.1', '192.0.2.1:53'],
  ['192.0.2.1:8053', '192.0.2.1:8053'],
  ['2001:db8::1', '[2001:db8::1]:53'],
  ['[2001:db8::1]', '[2001:db8::1]:53'],
  ['[2001:db8::1]:8053', '[2001:db8::1]:8053'],
])('%s is %s', (text, formatted) => expect(formatServerAddress(parseServerAddress(text))).toBe(formatted));
