import { expect, it } from '@jest/globals';
import { certificateIdentifier } from './certificate-identifier.js';

/** The example of RFC 9773 §4.1. */
const keyIdentifier = '69885b6b87464041e1b37b847ba0ae2cde01c8d4';

it.each<[string, string, string]>([
  ['the example of the RFC', '0087654321', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'],
  ['without the zero byte that DER adds', '87654321', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'],
  ['a serial number that needs none', '01', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AQ'],
  ['a serial number with more zero bytes than it needs', '00000001', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AQ'],
  ['the largest first byte without a sign', '7f', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.fw'],
  ['the smallest first byte with one', '80', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIA'],
  ['zero', '0000', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AA'],
  ['an odd number of digits', '1ff', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.Af8'],
])('names a certificate: %s', (_name, serial, identifier) => {
  expect(certificateIdentifier(keyIdentifier, serial)).toBe(identifier);
});

it('has the letters of base64url where base64 has those that mean something in a URL', () => {
  expect(certificateIdentifier('fbff', '01')).toBe('-_8.AQ');
});
