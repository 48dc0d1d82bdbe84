import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { loadConfig, setting } from './config.js';

const schema = z.object({
  PORT: setting.port().default(3000),
  TOKEN: z.string().min(4),
  DEBUG: setting.flag().default(false),
});

describe('loadConfig', () => {
  it('applies defaults and parses text', () => {
    expect(loadConfig(schema, { TOKEN: 'abcd', DEBUG: 'true' })).toEqual({ PORT: 3000, TOKEN: 'abcd', DEBUG: true });
  });

  it('accepts a base URL with or without a final slash', () => {
    const base = z.object({ URL: setting.baseUrl() });
    for (const url of ['https://api.example', 'https://api.example/'])
      expect(loadConfig(base, { URL: url })).toEqual({ URL: 'https://api.example' });
  });

  it('reads a secret from the file that NAME_FILE points to', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'token');
    writeFileSync(file, 'from-file\n');
    expect(loadConfig(schema, { TOKEN_FILE: file }).TOKEN).toBe('from-file');
  });

  it('treats an empty variable or file as not set', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'port');
    writeFileSync(file, '\n');
    expect(loadConfig(schema, { TOKEN: 'abcd', PORT_FILE: file, DEBUG: '' })).toMatchObject({
      PORT: 3000,
      DEBUG: false,
    });
    expect(() => loadConfig(schema, { TOKEN_FILE: file })).toThrow('TOKEN: is required');
  });

  it.each([
    [{}, 'TOKEN: is required'],
    [{ TOKEN: '' }, 'TOKEN: is required'],
    [{ TOKEN: 'abcd', PORT: '70000' }, 'PORT: '],
    [{ TOKEN_FILE: '/does/not/exist' }, 'TOKEN_FILE: cannot read /does/not/exist'],
  ])('names the variable that is wrong: %j', (env, message) => {
    expect(() => loadConfig(schema, env)).toThrow(message);
  });
});

const dnsSchema = z.object({
  KEY: setting.tsigKey().optional(),
  SERVER: setting.hostAndPort().optional(),
  ZONE: setting.dnsZone().optional(),
});
const secret = randomBytes(32);
const text = secret.toString('base64');

describe('settings of a name server', () => {
  it.each([`pets-acme:${text}`, `hmac-sha256:pets-acme:${text}`, `HMAC-SHA256:Pets-Acme.:${text}`])(
    'accept a key %#',
    (KEY) => expect(loadConfig(dnsSchema, { KEY }).KEY).toEqual({ name: 'pets-acme', secret }),
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
    const load = () => loadConfig(dnsSchema, { KEY });
    expect(load).toThrow(message);
    expect(load).not.toThrow(text);
  });

  it.each(['127.0.0.1:53', 'knot:5353', 'ns1.pets.example:53', '[2001:db8::1]:53'])('accept the server %s', (SERVER) =>
    expect(loadConfig(dnsSchema, { SERVER }).SERVER).toBe(SERVER),
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
    expect(() => loadConfig(dnsSchema, { SERVER })).toThrow('SERVER: is not host:port'),
  );

  it.each([
    ['acme.pets.example', 'acme.pets.example'],
    ['ACME.Pets.Example.', 'acme.pets.example'],
  ])('accept the zone %s', (ZONE, expected) => expect(loadConfig(dnsSchema, { ZONE }).ZONE).toBe(expected));

  it.each(['example', 'a..example', '.example', '*.example', 'ä.example', `${'a.'.repeat(80)}example`])(
    'refuse the zone %s',
    (ZONE) => expect(() => loadConfig(dnsSchema, { ZONE })).toThrow('ZONE: is not a DNS zone'),
  );
});
