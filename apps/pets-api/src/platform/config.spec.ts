import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '@pets/platform';
import { configSchema } from './config.js';

const complete = {
  DATABASE_URL: 'postgres://localhost/pets',
  APP_SECRET: 's'.repeat(32),
  CERTIFICATE_KEKS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  QUEUE_KEYS_JOBS: `j1:${Buffer.alloc(32, 1).toString('base64')}`,
  QUEUE_KEYS_EVENTS: `e1:${Buffer.alloc(32, 2).toString('base64')}`,
  EDGE_TOKEN: 't'.repeat(16),
  PLATFORM_DOMAIN: 'pets.localhost',
  STORAGE_URL: 'file:///data',
  ACME_DIRECTORY_URLS: 'https://ca.test/dir',
};

describe('the limits that a CA has granted', () => {
  it('are read', () => {
    const { ACME_LIMITS } = loadConfig(configSchema, { ...complete, ACME_LIMITS: 'https://ca.test/dir|orders=9/1h' });
    expect([...ACME_LIMITS]).toEqual([['https://ca.test/dir', [{ kind: 'orders', max: 9, windowMs: 3_600_000 }]]]);
  });

  it('have windows that are shorter than the life of certificates', () => {
    const settings = { ...complete, ACME_LIMITS: 'https://ca.test/dir|orders=9/30d' };
    expect(() => loadConfig(configSchema, settings)).toThrow('RETENTION_CERTIFICATES: is not longer than a window');
    expect(() => loadConfig(configSchema, { ...settings, RETENTION_CERTIFICATES: '31' })).not.toThrow();
  });

  it.each([
    ['https://other.test/dir|orders=9/1h', 'ACME_LIMITS: is for a CA that is not in ACME_DIRECTORY_URLS'],
    ['https://ca.test/dir|orders=9', 'ACME_LIMITS: orders=9 is not MAX/WINDOW such as 300/3h'],
  ])('stop the start if they are wrong: %s', (ACME_LIMITS, message) => {
    expect(() => loadConfig(configSchema, { ...complete, ACME_LIMITS })).toThrow(message);
  });
});

describe('the public addresses', () => {
  const read = (PUBLIC_ADDRESSES: string) => loadConfig(configSchema, { ...complete, PUBLIC_ADDRESSES });

  it('are none by default, and read as a list', () => {
    expect(read('').PUBLIC_ADDRESSES).toEqual([]);
    expect(read('185.199.108.1, 2a00:1450::1').PUBLIC_ADDRESSES).toEqual(['185.199.108.1', '2a00:1450::1']);
  });

  it.each([
    ['10.0.0.1', 'is not a public address'],
    ['185.199.108.1,edge.example.com', 'is not an IP address'],
    ['104.16.1.1', 'is an address of Cloudflare'],
    ['2a00:1450::1,2A00:1450:0::1', 'has an address twice'],
  ])('stop the start if they are wrong: %s', (addresses, message) => {
    expect(() => read(addresses)).toThrow(message);
  });
});
