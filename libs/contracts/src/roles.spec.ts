import { describe, expect, it } from '@jest/globals';
import { roles, scopes } from './enums.js';
import { rolesWithin, scopesMissingFor, scopesOfRole } from './roles.js';

describe('roles', () => {
  it('have all scopes of the roles below them', () => {
    for (const [index, role] of roles.entries())
      for (const lower of roles.slice(index)) expect(scopesMissingFor(lower, scopesOfRole[role])).toEqual([]);
  });

  it('have more than the roles below them', () => {
    for (const role of roles) expect(rolesWithin(scopesOfRole[role])).toEqual(roles.slice(roles.indexOf(role)));
  });

  it('let a viewer read and nothing else', () => {
    expect(scopesOfRole.viewer).toEqual(scopes.filter((scope) => scope.endsWith(':read')));
  });

  it('let a developer change animals, orders, projects and domains', () => {
    expect(scopesOfRole.developer.filter((scope) => scope.endsWith(':write')).sort()).toEqual([
      'domains:write',
      'orders:write',
      'pets:write',
      'projects:write',
    ]);
  });

  it('leave only owners to owners', () => {
    expect(scopesMissingFor('owner', scopesOfRole.admin)).toEqual(['owners:write']);
  });

  it('cannot be given by a key that lacks one of their scopes', () => {
    expect(rolesWithin(['people:write'])).toEqual([]);
    expect(rolesWithin(scopes.filter((scope) => scope !== 'webhooks:write'))).toEqual(['developer', 'viewer']);
  });
});
