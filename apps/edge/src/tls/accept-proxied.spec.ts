import { describe, expect, it } from '@jest/globals';
import { parseProxyHeader } from './accept-proxied.js';

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const version2 = (command: number, family: number, variable: Buffer) => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(variable.length);
  return Buffer.concat([signature, Buffer.from([command, family]), length, variable]);
};
const ipv4 = Buffer.from('cb007107c6336401d43101bb', 'hex'); // 203.0.113.7, 198.51.100.1, ports
const ipv6 = Buffer.from(`20010db8${'0'.repeat(23)}5${'0'.repeat(32)}d43101bb`, 'hex');
const version1 = (line: string) => Buffer.from(`${line}\r\n`);

describe('a complete header', () => {
  it.each([
    ['version 1, IPv4', version1('PROXY TCP4 203.0.113.7 198.51.100.1 54321 443'), '203.0.113.7'],
    ['version 1, IPv6', version1('PROXY TCP6 2001:db8::5 2001:db8::1 54321 443'), '2001:db8::5'],
    ['version 1, unknown', version1('PROXY UNKNOWN'), undefined],
    ['version 1, unknown with addresses', version1('PROXY UNKNOWN ffff::1 ffff::2 1 2'), undefined],
    ['version 2, IPv4', version2(0x21, 0x11, ipv4), '203.0.113.7'],
    ['version 2, IPv4 with TLVs', version2(0x21, 0x11, Buffer.concat([ipv4, Buffer.alloc(300)])), '203.0.113.7'],
    ['version 2, IPv6', version2(0x21, 0x21, ipv6), '2001:db8:0:0:0:0:0:5'],
    ['version 2, LOCAL', version2(0x20, 0x00, Buffer.alloc(0)), undefined],
    ['version 2, a Unix socket', version2(0x21, 0x31, Buffer.alloc(216)), undefined],
  ])('%s', (_name, header, client) => {
    expect(parseProxyHeader(header)).toEqual({ kind: 'complete', bytes: header.length, client });
    expect(parseProxyHeader(Buffer.concat([header, Buffer.from('GET /')]))).toMatchObject({ bytes: header.length });
  });

  it.each([
    ['version 1', version1('PROXY TCP4 203.0.113.7 198.51.100.1 54321 443')],
    ['version 2', version2(0x21, 0x11, ipv4)],
  ])('%s is incomplete until its last byte', (_name, header) => {
    for (let length = 0; length < header.length; length += 1) {
      expect(parseProxyHeader(header.subarray(0, length))).toEqual({ kind: 'incomplete' });
    }
  });
});

describe('a malformed header', () => {
  it.each([
    ['an address of the other family', version1('PROXY TCP4 2001:db8::5 198.51.100.1 54321 443')],
    ['a host name', version1('PROXY TCP4 localhost 198.51.100.1 54321 443')],
    ['a port that is too large', version1('PROXY TCP4 203.0.113.7 198.51.100.1 65536 443')],
    ['a port with a leading zero', version1('PROXY TCP4 203.0.113.7 198.51.100.1 054 443')],
    ['a missing port', version1('PROXY TCP4 203.0.113.7 198.51.100.1 54321')],
    ['a seventh part', version1('PROXY TCP4 203.0.113.7 198.51.100.1 54321 443 1')],
    ['another protocol', version1('PROXY UDP4 203.0.113.7 198.51.100.1 54321 443')],
    ['a line without end', Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`)],
    ['another version', version2(0x11, 0x11, ipv4)],
    ['an unknown command', version2(0x22, 0x11, ipv4)],
    ['addresses that are too short', version2(0x21, 0x11, ipv4.subarray(0, 8))],
    ['too many bytes', version2(0x21, 0x11, Buffer.alloc(5_000))],
  ])('%s', (_name, header) => expect(parseProxyHeader(header)).toEqual({ kind: 'malformed' }));
});

it.each([
  ['a TLS record', Buffer.from('1603010200', 'hex')],
  ['a request', Buffer.from('GET / HTTP/1.1\r\n')],
  ['a request after an empty line', Buffer.from('\r\nGET / HTTP/1.1\r\n')],
  ['another method that begins alike', Buffer.from('PROPFIND / HTTP/1.1\r\n')],
])('%s is no header', (_name, bytes) => expect(parseProxyHeader(bytes)).toEqual({ kind: 'absent' }));
