import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '@pets/platform';
import { configSchema } from './config.js';

const pem = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const complete = {
  REDIS_URL: 'redis://127.0.0.1:6379',
  ACME_DIRECTORY_URLS: 'https://ca.test/dir',
  ACME_ACCOUNT_KEY: pem('P-256'),
};

describe('config', () => {
  it('has defaults for all but the store and the CA', () => {
    expect(loadConfig(configSchema, complete)).toMatchObject({
      ACME_CAA_IDENTITIES: ['letsencrypt.org'],
      DNS_ALLOW_PRIVATE_AUTHORITATIVE: false,
      HTTP01_PORT: 80,
      WORKER_CONCURRENCY: 64,
    });
  });

  it('takes a key whose lines are written as \\n', () => {
    const oneLine = complete.ACME_ACCOUNT_KEY.replaceAll('\n', '\\n');
    expect(loadConfig(configSchema, { ...complete, ACME_ACCOUNT_KEY: oneLine }).ACME_ACCOUNT_KEY.type).toBe('private');
  });

  it('takes resolvers of both families', () => {
    const config = loadConfig(configSchema, { ...complete, DNS_RESOLVERS: '127.0.0.1:8053, [::1]:53' });
    expect(config.DNS_RESOLVERS).toEqual(['127.0.0.1:8053', '[::1]:53']);
  });

  it.each([
    [{ REDIS_URL: undefined }, 'REDIS_URL or DATABASE_URL: is required'],
    [{ ACME_ACCOUNT_KEY: 'secret' }, 'ACME_ACCOUNT_KEY: is not an EC P-256 private key in PEM form'],
    [{ ACME_ACCOUNT_KEY: pem('P-384') }, 'ACME_ACCOUNT_KEY: is not an EC P-256'],
    [{ DNS_RESOLVERS: 'resolver.test:53' }, 'DNS_RESOLVERS'],
    [{ DNS_RESOLVERS: '127.0.0.1' }, 'DNS_RESOLVERS'],
    [{ WORKER_CONCURRENCY: '0' }, 'WORKER_CONCURRENCY'],
  ])('refuses %j', (changes, message) => {
    expect(() => loadConfig(configSchema, { ...complete, ...changes })).toThrow(message);
  });
});
