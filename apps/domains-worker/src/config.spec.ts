import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '@pets/platform';
import { configSchema } from './config.js';

const pem = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const hmacKey = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';
const complete = {
  REDIS_URL: 'redis://127.0.0.1:6379',
  ACME_DIRECTORY_URLS: 'https://ca.test/dir',
  ACME_ACCOUNT_KEY: pem('P-256'),
  QUEUE_KEYS_JOBS: `j1:${Buffer.alloc(32, 1).toString('base64')}`,
  QUEUE_KEYS_EVENTS: `e1:${Buffer.alloc(32, 2).toString('base64')}`,
};

describe('config', () => {
  it('has defaults for everything except the store and the CA', () => {
    expect(loadConfig(configSchema, complete)).toMatchObject({
      ACME_CAA_IDENTITIES: ['letsencrypt.org'],
      ACME_EAB: [],
      DNS_ALLOW_PRIVATE_AUTHORITATIVE: false,
      DNS_RESOLVERS_HOLD_ZONES: false,
      HTTP01_PORT: 80,
      WORKER_CONCURRENCY: 64,
      WEBHOOK_CONCURRENCY: 128,
      ALLOW_PRIVATE_WEBHOOK_TARGETS: false,
    });
  });

  it('refuses to start without separate keys of both directions', () => {
    const keys = `k1:${Buffer.alloc(32).toString('base64')}`;
    const load = (env: Record<string, string>) => () => loadConfig(configSchema, { ...complete, ...env });
    for (const name of ['QUEUE_KEYS_JOBS', 'QUEUE_KEYS_EVENTS'])
      expect(load({ [name]: '' })).toThrow(`${name}: is required`);
    expect(load({ QUEUE_KEYS_JOBS: keys, QUEUE_KEYS_EVENTS: keys })).toThrow(/^QUEUE_KEYS_EVENTS: has a key of/);
    expect(load({ QUEUE_KEYS_JOBS: 'k1:short' })).toThrow(/^QUEUE_KEYS_JOBS: key "k1" has \d+ bytes/);
  });

  it('accepts a key whose line breaks are written as \\n', () => {
    const oneLine = complete.ACME_ACCOUNT_KEY.replaceAll('\n', '\\n');
    expect(loadConfig(configSchema, { ...complete, ACME_ACCOUNT_KEY: oneLine }).ACME_ACCOUNT_KEY).toHaveLength(1);
  });

  it('accepts resolvers with IPv4 and IPv6 addresses', () => {
    const config = loadConfig(configSchema, { ...complete, DNS_RESOLVERS: '127.0.0.1:8053, [::1]:53' });
    expect(config.DNS_RESOLVERS).toEqual(['127.0.0.1:8053', '[::1]:53']);
  });

  it('accepts where authoritative servers listen, and nothing else', () => {
    const load = (DNS_AUTHORITATIVE_ADDRESSES: string) =>
      loadConfig(configSchema, { ...complete, DNS_AUTHORITATIVE_ADDRESSES }).DNS_AUTHORITATIVE_ADDRESSES;
    expect([...load('192.0.2.1=127.0.0.1:8053, 192.0.2.2=[::1]:8054')]).toEqual([
      ['192.0.2.1', '127.0.0.1:8053'],
      ['192.0.2.2', '[::1]:8054'],
    ]);
    for (const text of ['192.0.2.1', '192.0.2.1=127.0.0.1', 'ns1=127.0.0.1:53', '192.0.2.1=127.0.0.1:8053=x'])
      expect(() => load(text)).toThrow('DNS_AUTHORITATIVE_ADDRESSES: is not a list of address=address:port');
  });

  it('accepts an external account for each of several CAs', () => {
    const ACME_DIRECTORY_URLS = 'https://one.test/dir,https://two.test/dir';
    const ACME_EAB = `https://one.test/dir|kid-1|${hmacKey}, https://two.test/dir|kid-2|${hmacKey}==`;
    const config = loadConfig(configSchema, { ...complete, ACME_DIRECTORY_URLS, ACME_EAB });
    expect(config.ACME_EAB).toEqual([
      { directoryUrl: 'https://one.test/dir', keyId: 'kid-1', hmacKey: Buffer.from(hmacKey, 'base64url') },
      { directoryUrl: 'https://two.test/dir', keyId: 'kid-2', hmacKey: Buffer.from(hmacKey, 'base64url') },
    ]);
  });

  it('accepts the name server of challenges', () => {
    const key = Buffer.alloc(32, 7);
    const ACME_DNS_TSIG_KEY = `hmac-sha256:pets-acme:${key.toString('base64')}`;
    const dns = { ACME_DNS_SERVER: 'knot:53', ACME_DNS_ZONE: 'Acme.Pets.Example.', ACME_DNS_TSIG_KEY };
    expect(loadConfig(configSchema, { ...complete, ...dns })).toMatchObject({
      ACME_DNS_SERVER: 'knot:53',
      ACME_DNS_ZONE: 'acme.pets.example',
      ACME_DNS_TSIG_KEY: { name: 'pets-acme', secret: key },
    });
    const together = 'is missing: ACME_DNS_SERVER, ACME_DNS_ZONE and ACME_DNS_TSIG_KEY belong together';
    for (const name of Object.keys(dns))
      expect(() => loadConfig(configSchema, { ...complete, ...dns, [name]: undefined })).toThrow(
        `${name}: ${together}`,
      );
  });

  it('accepts keys that the first one has replaced', () => {
    const [first, second, third] = [pem('P-256'), pem('P-256'), pem('P-256')];
    const ACME_ACCOUNT_KEY = `${first}\n${second.replaceAll('\n', '\\n')}${third}`;
    const keys = loadConfig(configSchema, { ...complete, ACME_ACCOUNT_KEY }).ACME_ACCOUNT_KEY;
    expect(keys.map((key) => key.export({ type: 'pkcs8', format: 'pem' }))).toEqual([first, second, third]);
  });

  it('does not repeat the key of a wrong external account', () => {
    const wrong = { ...complete, ACME_EAB: `https://ca.test/dir|${hmacKey}` };
    const message = 'ACME_EAB: entry 1 is not directoryUrl|kid|hmacKey (base64url)';
    expect(() => loadConfig(configSchema, wrong)).toThrow(new Error(message));
  });

  it.each([
    [{ ACME_EAB: `https://other.test/dir|kid|${hmacKey}` }, 'ACME_EAB: is for a CA that is not in ACME_DIRECTORY_URLS'],
    [{ ACME_EAB: `https://ca.test/dir||${hmacKey}` }, 'ACME_EAB: entry 1'],
    [{ ACME_EAB: 'https://ca.test/dir|kid|short' }, 'ACME_EAB: entry 1'],
    [{ ACME_EAB: `https://ca.test/dir|kid|${hmacKey},` }, 'ACME_EAB: entry 2'],
    [{ ACME_EAB: `https://ca.test/dir|kid|${hmacKey}|b` }, 'ACME_EAB: entry 1'],
    [{ REDIS_URL: undefined }, 'REDIS_URL or DATABASE_URL: is required'],
    [{ ACME_ACCOUNT_KEY: 'secret' }, 'ACME_ACCOUNT_KEY: is not an EC P-256 private key in PEM form'],
    [{ ACME_ACCOUNT_KEY: pem('P-384') }, 'ACME_ACCOUNT_KEY: is not an EC P-256'],
    [{ ACME_ACCOUNT_KEY: pem('P-256') + pem('P-384') }, 'ACME_ACCOUNT_KEY: is not an EC P-256'],
    [{ DNS_RESOLVERS: 'resolver.test:53' }, 'DNS_RESOLVERS'],
    [{ DNS_RESOLVERS: '127.0.0.1' }, 'DNS_RESOLVERS'],
    [{ WORKER_CONCURRENCY: '0' }, 'WORKER_CONCURRENCY'],
  ])('refuses %j', (changes, message) => {
    expect(() => loadConfig(configSchema, { ...complete, ...changes })).toThrow(message);
  });
});
