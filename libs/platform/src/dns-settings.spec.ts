import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { loadConfig, setting } from './config.js';

const schema = z.object({
  KEY: setting.tsigKey().optional(),
  SERVER: setting.hostAndPort().optional(),
  ZONE: setting.dnsZone().optional(),
});
const secret = randomBytes(32);
const text = secret.toString('base64');

describe('settings of a name server', () => {
  it.each([`pets-acme:${text}`, `hmac-sha256:pets-acme:${text}`, `HMAC-SHA256:Pets-Acme.:${text}`])(
    'accept a key %#',
    (KEY) => expect(loadConfig(schema, { KEY }).KEY).toEqual({ name: 'pets-acme', secret }),
  );

  it.each([
    [text, 'KEY: is not [hmac-sha256:]name:secret, the secret in base64'],
    [`:${text}`, 'KEY: is not [hmac-sha256:]name:secret'],
    [`a b:${text}`, 'KEY: is not [hmac-sha256:]name:secret'],
    [`hmac-sha256:pets-acme:${text}:1`, 'KEY: is not [hmac-sha256:]name:secret'],
    [`pets-acme:${text.replace(/.$/, '!')}`, 'KEY: is not [hmac-sha256:]name:secret'],
    [`hmac-md5:pets-acme:${text}`, 'KEY: has another algorithm than hmac-sha256'],
    ['pets-acme:c2hvcnQ=', 'KEY: has a secret of 5 bytes, less than 16'],
  ])('refuse a key without its secret in the message, %#', (KEY, message) => {
    const load = () => loadConfig(schema, { KEY });
    expect(load).toThrow(message);
    expect(load).not.toThrow(text);
  });

  it.each(['127.0.0.1:53', 'knot:5353', 'ns1.pets.example:53', '[2001:db8::1]:53'])('accept the server %s', (SERVER) =>
    expect(loadConfig(schema, { SERVER }).SERVER).toBe(SERVER),
  );

  it.each([
    'knot',
    '127.0.0.1',
    ':53',
    'knot:0',
    'knot:65536',
    '2001:db8::1:53',
    '[knot]:53',
    'udp://knot:53',
    'a b:53',
  ])('refuse the server %s', (SERVER) =>
    expect(() => loadConfig(schema, { SERVER })).toThrow('SERVER: is not host:port'),
  );

  it.each([
    ['acme.pets.example', 'acme.pets.example'],
    ['ACME.Pets.Example.', 'acme.pets.example'],
  ])('accept the zone %s', (ZONE, expected) => expect(loadConfig(schema, { ZONE }).ZONE).toBe(expected));

  it.each(['example', 'a..example', '.example', '*.example', 'ä.example', `${'a.'.repeat(80)}example`])(
    'refuse the zone %s',
    (ZONE) => expect(() => loadConfig(schema, { ZONE })).toThrow('ZONE: is not a DNS zone'),
  );
});
