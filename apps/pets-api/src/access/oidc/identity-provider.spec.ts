import { describe, expect, it } from '@jest/globals';
import { identityOf, namesOrganization, organizationIn, roleIn } from './identity-provider.js';

const issuer = 'https://id.example';
const ORGANIZATION = '2d9c4a1e-8b3f-4f6d-a7c5-0e1f2a3b4c5d';

describe('the identity of a person', () => {
  it('is issuer and subject, with a name for display', () => {
    const claims = { iss: issuer, sub: 'a1', name: ' Ada\u202e\n ', email: 'ada@example.com' };
    expect(identityOf(claims)).toEqual({ issuer, subject: 'a1', name: 'Ada', email: 'ada@example.com', claims });
  });

  it('has no name where the provider sends none, or something that is no text', () => {
    for (const name of [undefined, '', ' \u0000', 7, ['Ada'], '\ud800'])
      expect(identityOf({ iss: issuer, sub: 'a1', name })?.name).toBeNull();
    expect(identityOf({ iss: issuer, sub: 'a1', preferred_username: 'ada' })?.name).toBe('ada');
  });

  it('has a name that fits a list', () => {
    expect(identityOf({ iss: issuer, sub: 'a1', name: '🐈'.repeat(300) })?.name).toBe('🐈'.repeat(200));
  });

  it.each([undefined, '', 7, 'ä', 'a\u0000', 'a'.repeat(256)])('is none with the subject %j', (sub) => {
    expect(identityOf({ iss: issuer, sub })).toBeNull();
  });
});

describe('the claims', () => {
  it.each([
    [ORGANIZATION, ORGANIZATION],
    [[ORGANIZATION], ORGANIZATION],
    [ORGANIZATION.toUpperCase(), ORGANIZATION],
    [[ORGANIZATION.toUpperCase()], ORGANIZATION],
    [[ORGANIZATION, ORGANIZATION], null],
    ['Acme', null],
    [{ id: ORGANIZATION }, null],
    [undefined, null],
  ])('%j name the organization %s', (value, organization) => {
    expect(organizationIn({ org: value }, 'org')).toBe(organization);
    expect(organizationIn({ org: value }, undefined)).toBeNull();
  });

  it.each([
    [ORGANIZATION, true],
    [ORGANIZATION.toUpperCase(), true],
    [[7, 'Acme', ORGANIZATION.toUpperCase()], true],
    [['Acme'], false],
    [{ id: ORGANIZATION }, false],
    [undefined, false],
  ])('%j name the organization, alone or with others: %s', (value, isNamed) => {
    expect(namesOrganization({ org: value }, 'org', ORGANIZATION)).toBe(isNamed);
  });

  it.each([
    ['admin', 'admin'],
    [['viewer', 'owner', 'x'], 'owner'],
    ['Owner', null],
    ['root', null],
    [undefined, null],
  ])('%j name the role %s', (value, role) => {
    expect(roleIn({ role: value }, 'role')).toBe(role);
  });
});
