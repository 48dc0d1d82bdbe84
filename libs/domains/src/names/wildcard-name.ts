import { isWildcard } from '@pets/contracts';

/** The name below which a wildcard covers one label; every other name is its own base. */
export function baseNameOf(name: string): string {
  return isWildcard(name) ? name.slice(name.indexOf('.') + 1) : name;
}

/** The wildcard of a base, or the base of a wildcard: both have the same `_acme-challenge` name (RFC 8555 §8.4). */
export function counterpartOf(name: string): string {
  return isWildcard(name) ? baseNameOf(name) : `*.${name}`;
}
