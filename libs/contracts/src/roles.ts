import { roles, scopes, type Role, type Scope } from './enums.js';

const reading = scopes.filter((scope) => scope.endsWith(':read'));

const developing = [
  'pets:write',
  'orders:write',
  'domains:write',
  'projects:write',
] as const satisfies readonly Scope[];

/** The scopes of each role: each has all those of the roles below it. Only owners may do anything to owners. */
export const scopesOfRole = {
  owner: scopes,
  admin: scopes.filter((scope) => scope !== 'owners:write'),
  developer: scopes.filter((scope) => reading.includes(scope) || developing.some((each) => each === scope)),
  viewer: reading,
} as const satisfies Readonly<Record<Role, readonly Scope[]>>;

/**
 * The scopes that a caller lacks to give or take a role. Nobody gives more than they have, so an admin makes no owner, and a
 * key with few scopes makes nobody who has more.
 */
export function scopesMissingFor(role: Role, own: readonly Scope[]): readonly Scope[] {
  return scopesOfRole[role].filter((scope) => !own.includes(scope));
}

/** The roles that a caller may give and take, from most to least. */
export function rolesWithin(own: readonly Scope[]): readonly Role[] {
  return roles.filter((role) => scopesMissingFor(role, own).length === 0);
}
