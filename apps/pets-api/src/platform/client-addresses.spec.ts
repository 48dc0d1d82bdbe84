import { describe, expect, it } from '@jest/globals';
import { ClientAddresses } from './client-addresses.js';

const addresses = new ClientAddresses(['10.0.0.0/8', 'fd00::1'], () => undefined);
const from = (remoteAddress: string | undefined, forwarded?: string) =>
  addresses.of({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

describe('the address of a client', () => {
  it.each<[string, string | undefined, string | undefined, string | null]>([
    ['of a direct connection', '203.0.113.7', undefined, '203.0.113.7'],
    ['of a client that names another', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['behind a proxy', '10.0.0.2', '198.51.100.1', '198.51.100.1'],
    ['behind a proxy, with what the client made up before it', '10.0.0.2', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['behind two proxies', '10.0.0.2', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['behind a proxy of IPv6', 'fd00::1', '2001:DB8::5', '2001:db8::5'],
    ['behind a proxy that a socket shows as IPv6', '::ffff:10.0.0.2', '198.51.100.1', '198.51.100.1'],
    ['behind a proxy that says nothing', '10.0.0.2', undefined, '10.0.0.2'],
    ['behind a proxy that says what is no address', '10.0.0.2', 'unknown', '10.0.0.2'],
    ['behind a proxy, with a port', '10.0.0.2', '198.51.100.1:4711', '10.0.0.2'],
    ['behind a proxy that sends nothing', '10.0.0.2', '', '10.0.0.2'],
    ['behind a proxy that sends separators only', '10.0.0.2', ' ,,, ,', '10.0.0.2'],
    ['behind a proxy, with bytes that are no text', '10.0.0.2', '\u0000\u00ff, 198.51.100.1', '198.51.100.1'],
    ['behind a proxy of each family', '10.0.0.2', '198.51.100.1, fd00::1', '198.51.100.1'],
    ['behind a proxy that an untrusted one follows', '203.0.113.7', '198.51.100.1, 10.0.0.2', '203.0.113.7'],
    ['behind a trusted proxy behind an untrusted one', '10.0.0.2', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
    ['behind proxies without end', '10.0.0.2', Array(20).fill('10.0.0.3').join(), '10.0.0.3'],
    ['with a zone', 'fe80::1%eth0', undefined, null],
    ['of a connection that is gone', undefined, '198.51.100.1', null],
  ])('%s', (_name, remoteAddress, forwarded, expected) => expect(from(remoteAddress, forwarded)).toBe(expected));
});

it('reads a header that was sent several times as one list', () => {
  const headers = { 'x-forwarded-for': ['1.1.1.1, 198.51.100.1', '10.9.9.9'] as unknown as string };
  expect(addresses.of({ socket: { remoteAddress: '10.0.0.2' }, headers })).toBe('198.51.100.1');
});
