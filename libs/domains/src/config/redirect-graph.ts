import type { DomainConfig, RedirectStatus } from '@pets/contracts';

export interface CompiledRedirect {
  readonly to: string;
  readonly status: RedirectStatus;
}

/** The cycle that the redirects form, as the names in order with the first repeated at the end; null when there is none. */
export function findRedirectCycle(config: DomainConfig): readonly string[] | null {
  const next = new Map(config.domains.redirects.map(({ from, to }) => [from, to]));
  for (const start of next.keys()) {
    const path = [start];
    for (let name = next.get(start); name !== undefined; name = next.get(name)) {
      const at = path.indexOf(name);
      if (at >= 0) return [...path.slice(at), name];
      path.push(name);
    }
  }
  return null;
}

/**
 * What the edges get: each chain collapsed to its end, so that a visitor is redirected once. A chain with any temporary
 * hop is temporary, since what is permanent gets cached.
 * @throws Error when there is a cycle: it must have been refused when the configuration was stored
 */
export function compileRedirects(config: DomainConfig): ReadonlyMap<string, CompiledRedirect> {
  if (findRedirectCycle(config) !== null) throw new Error('redirects form a cycle');
  const next = new Map(config.domains.redirects.map((redirect) => [redirect.from, redirect]));
  return new Map(
    config.domains.redirects.map((redirect) => {
      let { to, status } = redirect;
      for (let hop = next.get(to); hop !== undefined; hop = next.get(to)) {
        to = hop.to;
        if (!isTemporary(status) && isTemporary(hop.status)) status = hop.status;
      }
      return [redirect.from, { to, status }];
    }),
  );
}

function isTemporary(status: RedirectStatus): boolean {
  return status === 302 || status === 307;
}
