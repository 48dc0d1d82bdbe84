import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '@pets/platform';
import { configSchema } from './config.js';

describe('the origin of the dashboard', () => {
  const environment = {
    DATABASE_URL: 'postgres://localhost/pets',
    APP_SECRET: 'x'.repeat(32),
    CERTIFICATE_KEKS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    EDGE_TOKEN: 'edge-token-of-the-tests',
    QUEUE_KEYS_JOBS: `j1:${Buffer.alloc(32, 1).toString('base64')}`,
    QUEUE_KEYS_EVENTS: `e1:${Buffer.alloc(32, 2).toString('base64')}`,
    PLATFORM_DOMAIN: 'pets.example',
    STORAGE_URL: 'file:///tmp/pets',
    ACME_DIRECTORY_URLS: 'http://ca.test/dir',
  };
  const load = (settings: Record<string, string>) => () => loadConfig(configSchema, { ...environment, ...settings });

  it.each<Record<string, string>>([
    { PUBLIC_URL: 'https://pets.example' },
    { PUBLIC_URL: 'https://api.pets.example' },
    { PUBLIC_URL: 'https://api.pets.example:8443/base' },
    { PUBLIC_URL: 'https://API.PETS.EXAMPLE.' },
    { PUBLIC_URL: 'https://api.example', DASHBOARD_ORIGIN: 'https://dashboard.pets.example' },
    { PUBLIC_URL: 'https://xn--bcher-kva.example', PLATFORM_DOMAIN: 'Bücher.example.' },
  ])('is not at or below the platform domain: %j', (settings) => {
    expect(load(settings)).toThrow(/^DASHBOARD_ORIGIN: is at or below PLATFORM_DOMAIN[^\n]*$/);
  });

  it.each<Record<string, string>>([
    { PUBLIC_URL: 'https://api.example' },
    { PUBLIC_URL: 'https://mypets.example' },
    { PUBLIC_URL: 'https://example' },
    { PUBLIC_URL: 'https://api.pets.example', DASHBOARD_ORIGIN: 'https://dashboard.example' },
  ])('is elsewhere: %j', (settings) => expect(load(settings)).not.toThrow());

  it.each(['dashboard.example', 'https://dashboard.example/path', 'ftp://dashboard.example'])(
    'is an origin, not %s',
    (origin) => expect(load({ DASHBOARD_ORIGIN: origin })).toThrow(/^DASHBOARD_ORIGIN: [^\n]*$/),
  );
});
