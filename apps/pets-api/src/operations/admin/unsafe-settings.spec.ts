import { describe, expect, it } from '@jest/globals';
import { parseKeyRing } from '@pets/platform';
import { createHash } from 'node:crypto';
import { findUnsafeSettings } from './unsafe-settings.js';

/** Bytes without a pattern, and the same in each run. */
const random = (seed: string) => createHash('sha256').update(seed).digest();
const ring = (...keys: Buffer[]) => keys.map((key, index) => `k${index + 1}:${key.toString('base64')}`).join(',');

const safe = {
  ENVIRONMENT: 'production',
  PUBLIC_URL: 'https://api.example.com',
  PLATFORM_DOMAIN: 'github.io',
  QUEUE_KEYS_JOBS: ring(random('jobs')),
  QUEUE_KEYS_EVENTS: ring(random('events')),
  CERTIFICATE_KEKS: parseKeyRing(ring(random('keks'))),
  APP_SECRET: random('app').toString('base64'),
  EDGE_TOKEN: random('edge').toString('hex'),
  TRUSTED_PROXIES: '10.0.0.0/8,fc00::/7',
  INTERNAL_PORT: '3001',
} as const;

type Settings = Partial<Parameters<typeof findUnsafeSettings>[0]>;
const find = (settings: Settings) => findUnsafeSettings({ ...safe, ...settings });
const problemsOf = (settings: Settings) =>
  find(settings).map(({ name, severity, problem }) => `${severity} ${name}: ${problem}`);

describe('findUnsafeSettings', () => {
  it.each<[string, Settings]>([
    ['a complete installation', {}],
    ['an explicit none', { TRUSTED_PROXIES: 'none' }],
    ['plain HTTP without proxies', { PUBLIC_URL: 'http://api.internal', TRUSTED_PROXIES: undefined }],
    ['limits of one', { WRONG_KEYS_PER_MINUTE: '1', SIGN_INS_PER_MINUTE: '1', RATE_LIMIT_PER_MINUTE: '1' }],
    ['a rotation of keys', { QUEUE_KEYS_JOBS: ring(random('new'), random('jobs')) }],
    ['webhooks to private networks turned off', { ALLOW_PRIVATE_WEBHOOK_TARGETS: 'false' }],
    ['private webhooks in development', { ENVIRONMENT: 'development', ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' }],
    ['a platform of development', { ENVIRONMENT: 'development', PLATFORM_DOMAIN: 'pets.localhost' }],
    ['a platform in capitals with a final dot', { PLATFORM_DOMAIN: 'GitHub.io.' }],
  ])('finds nothing in %s', (_name, settings) => {
    expect(find(settings)).toEqual([]);
  });

  it.each<[string, Settings, RegExp]>([
    ['missing keys of jobs', { QUEUE_KEYS_JOBS: undefined }, /^error QUEUE_KEYS_JOBS: .*is required/],
    ['missing keys of events', { QUEUE_KEYS_EVENTS: undefined }, /^error QUEUE_KEYS_EVENTS: .*is required/],
    ['a short key', { QUEUE_KEYS_JOBS: 'j1:c2hvcnQ=' }, /^error QUEUE_KEYS_JOBS: .*has 5 bytes/],
    [
      'equal message keys',
      { QUEUE_KEYS_EVENTS: safe.QUEUE_KEYS_JOBS },
      /^error QUEUE_KEYS_EVENTS: .*same as Key "k1" of QUEUE_KEYS_JOBS/,
    ],
    [
      'an old key of the other direction',
      { QUEUE_KEYS_EVENTS: ring(random('new'), random('jobs')) },
      /^error QUEUE_KEYS_EVENTS: Key "k2".* same/,
    ],
    [
      'a key twice in a ring',
      { QUEUE_KEYS_JOBS: ring(random('a'), random('a')) },
      /^error QUEUE_KEYS_JOBS: Key "k2".* same as Key "k1"/,
    ],
    [
      'a key-encryption key',
      { QUEUE_KEYS_JOBS: ring(random('keks')) },
      /^error QUEUE_KEYS_JOBS: .*same as Key "k1" of CERTIFICATE_KEKS/,
    ],
    [
      'a key that is a token in hexadecimal',
      { QUEUE_KEYS_JOBS: ring(random('edge')) },
      /^error EDGE_TOKEN: .*same as Key "k1" of QUEUE_KEYS_JOBS/,
    ],
    [
      'a key that is a secret in base64',
      { QUEUE_KEYS_EVENTS: ring(random('app')) },
      /^error APP_SECRET: .*same as Key "k1" of QUEUE_KEYS_EVENTS/,
    ],
    ['equal tokens', { GATEWAY_TOKEN: safe.EDGE_TOKEN }, /^error GATEWAY_TOKEN: .*same as EDGE_TOKEN/],
    ['a key of one byte', { QUEUE_KEYS_JOBS: ring(Buffer.alloc(32, 7)) }, /^error QUEUE_KEYS_JOBS: .*not random/],
    [
      'a repeated key',
      { QUEUE_KEYS_JOBS: ring(Buffer.concat([random('x').subarray(0, 16), random('x').subarray(0, 16)])) },
      /not random/,
    ],
    [
      'a counted key',
      { QUEUE_KEYS_EVENTS: ring(Buffer.from(Array.from({ length: 32 }, (_, index) => index + 230))) },
      /not random/,
    ],
    ['a typed key', { QUEUE_KEYS_EVENTS: ring(Buffer.from('The quick brown fox jumps over 9')) }, /not random/],
    [
      'a weak old key',
      { QUEUE_KEYS_JOBS: ring(random('new'), Buffer.alloc(32)) },
      /^error QUEUE_KEYS_JOBS: Key "k2" .*not random/,
    ],
    [
      'a weak key-encryption key',
      { CERTIFICATE_KEKS: parseKeyRing(ring(Buffer.alloc(32))) },
      /^error CERTIFICATE_KEKS: .*not random/,
    ],
    ['a weak token', { EDGE_TOKEN: 'a'.repeat(16) }, /^error EDGE_TOKEN: .*not random/],
    ['no proxies behind TLS', { TRUSTED_PROXIES: undefined }, /^error TRUSTED_PROXIES: .*share one address/],
    ['an empty list of proxies', { TRUSTED_PROXIES: ' , ' }, /^error TRUSTED_PROXIES: .*share one address/],
    ['everybody as a proxy', { TRUSTED_PROXIES: '10.0.0.0/8,0.0.0.0/0' }, /^error TRUSTED_PROXIES: .*0\.0\.0\.0\/0/],
    ['half of everybody as a proxy', { TRUSTED_PROXIES: '::/1' }, /^error TRUSTED_PROXIES: .*::\/1/],
    [
      'a malformed list of proxies',
      { TRUSTED_PROXIES: 'proxy.internal' },
      /^error TRUSTED_PROXIES: pets-api does not start/,
    ],
    ['unlimited wrong keys', { WRONG_KEYS_PER_MINUTE: '0' }, /^error WRONG_KEYS_PER_MINUTE: .*not limited/],
    ['unlimited sign-ins', { SIGN_INS_PER_MINUTE: '0' }, /^error SIGN_INS_PER_MINUTE: .*not limited/],
    ['unlimited requests', { RATE_LIMIT_PER_MINUTE: '0.0' }, /^error RATE_LIMIT_PER_MINUTE: .*not limited/],
    [
      'unlimited requests in development',
      { ENVIRONMENT: 'development', RATE_LIMIT_PER_MINUTE: '0' },
      /^warning RATE_LIMIT_PER_MINUTE/,
    ],
    ['webhooks to private networks', { ALLOW_PRIVATE_WEBHOOK_TARGETS: 'yes' }, /^error ALLOW_PRIVATE_WEBHOOK_TARGETS/],
    [
      'private webhooks in staging',
      { ENVIRONMENT: 'staging', ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' },
      /^error ALLOW_PRIVATE_WEBHOOK_TARGETS/,
    ],
    ['one port for everything', { INTERNAL_PORT: undefined }, /^error INTERNAL_PORT: .*public port/],
    ['an unfinished move to the internal port', { INTERNAL_ALSO_PUBLIC: 'true' }, /^warning INTERNAL_ALSO_PUBLIC/],
    [
      'a platform that is not listed',
      { PLATFORM_DOMAIN: 'pets.example.com' },
      /^warning PLATFORM_DOMAIN: .*does not have pets\.example\.com/,
    ],
    ['a platform below a listed name', { PLATFORM_DOMAIN: 'pets.github.io' }, /^warning PLATFORM_DOMAIN/],
    ['no platform', { PLATFORM_DOMAIN: undefined }, /^error PLATFORM_DOMAIN: .*is required/],
  ])('finds %s, and nothing else', (_name, settings, expected) => {
    expect(problemsOf(settings)).toEqual([expect.stringMatching(expected)]);
  });

  it('says what to do about each, and never shows a secret', () => {
    const key = random('shared').toString('base64');
    const findings = find({
      QUEUE_KEYS_JOBS: `j1:${key}`,
      QUEUE_KEYS_EVENTS: `e1:${key}`,
      GATEWAY_TOKEN: key,
    });
    expect(findings.map(({ name }) => name)).toEqual(['QUEUE_KEYS_EVENTS', 'GATEWAY_TOKEN', 'GATEWAY_TOKEN']);
    expect(findings.every(({ action }) => action.endsWith('.'))).toBe(true);
    expect(JSON.stringify(findings)).not.toContain(key);
  });

  it('takes random keys', () => {
    for (let seed = 0; seed < 50; seed += 1)
      expect(
        find({
          QUEUE_KEYS_JOBS: ring(random(`j${seed}`)),
          EDGE_TOKEN: random(`t${seed}`).toString('hex').slice(0, 32),
        }),
      ).toEqual([]);
  });
});
