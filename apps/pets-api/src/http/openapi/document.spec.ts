import { expect, it } from '@jest/globals';
import { serversOf } from './document.js';

const PUBLIC_URL = 'https://own.example';
const PRODUCTION_URL = 'https://production.example';
const STAGING_URL = 'https://staging.example';
const [own, production, staging] = [PUBLIC_URL, PRODUCTION_URL, STAGING_URL];

it.each<[string, Parameters<typeof serversOf>[0], Record<string, string>]>([
  ['development alone', { ENVIRONMENT: 'development', PUBLIC_URL }, { Development: own }],
  [
    'development that knows the others',
    { ENVIRONMENT: 'development', PUBLIC_URL, PRODUCTION_URL, STAGING_URL },
    { Development: own, Production: production, Staging: staging },
  ],
  ['production alone', { ENVIRONMENT: 'production', PUBLIC_URL }, { Production: own }],
  [
    'production with staging',
    { ENVIRONMENT: 'production', PUBLIC_URL, STAGING_URL },
    { Production: own, Staging: staging },
  ],
  ['production by another name', { ENVIRONMENT: 'production', PUBLIC_URL, PRODUCTION_URL }, { Production: production }],
  ['staging alone', { ENVIRONMENT: 'staging', PUBLIC_URL }, { Staging: own }],
  [
    'staging with production',
    { ENVIRONMENT: 'staging', PUBLIC_URL, PRODUCTION_URL, STAGING_URL },
    { Production: production, Staging: staging },
  ],
])('%s', (_name, config, servers) =>
  expect(serversOf(config)).toEqual(Object.entries(servers).map(([description, url]) => ({ url, description }))),
);
