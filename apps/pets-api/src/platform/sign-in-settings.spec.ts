import { describe, expect, it } from '@jest/globals';
import { findSignInFault } from './sign-in-settings.js';

const complete = {
  ENVIRONMENT: 'production',
  OIDC_ISSUER_URL: 'https://id.example/realms/acme',
  OIDC_CLIENT_ID: 'pets',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_ORGANIZATION_CLAIM: undefined,
  OIDC_ROLE_CLAIM: undefined,
};

describe('the settings of the identity provider', () => {
  it('may be absent', () => {
    expect(findSignInFault({ ...complete, OIDC_ISSUER_URL: undefined, OIDC_CLIENT_ID: undefined })).toBeNull();
    expect(findSignInFault(complete)).toBeNull();
  });

  it.each(['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])('need %s', (name) => {
    expect(findSignInFault({ ...complete, [name]: undefined })).toEqual({
      name,
      message: 'is required with OIDC_ISSUER_URL',
    });
  });

  it('take roles from a claim only together with the organization', () => {
    expect(findSignInFault({ ...complete, OIDC_ROLE_CLAIM: 'role' })?.name).toBe('OIDC_ROLE_CLAIM');
  });

  it.each([
    ['production', 'http://id.example', false],
    ['production', 'http://127.0.0.1:4000', false],
    ['development', 'http://id.example', false],
    ['development', 'http://127.0.0.1.example', false],
    ['development', 'ftp://127.0.0.1', false],
    ['development', 'http://127.0.0.1:4000', true],
    ['development', 'http://localhost:4000/realms/acme', true],
    ['development', 'http://[::1]:4000', true],
  ])('in %s: is %s allowed? %s', (environment, issuer, isAllowed) => {
    const fault = findSignInFault({ ...complete, ENVIRONMENT: environment, OIDC_ISSUER_URL: issuer });
    expect(fault === null).toBe(isAllowed);
  });
});
