import type { DomainConfig, RedirectStatus } from '@pets/contracts';
import { parseDomainName, type NamePolicy } from '../names/parse-domain-name.js';

/** Names are only compared here, so all are allowed. */
const anyName: NamePolicy = { platformDomain: '', allowSpecialUseNames: true };

/** Names that are canonical already, which most are: parsing them costs a hundred times as much. */
const canonical = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** The canonical form of a name in a configuration, for comparison. Text that is not a name is returned unchanged. */
export function canonicalName(written: string): string {
  if (canonical.test(written) && !written.includes('xn--')) return written;
  const parsed = parseDomainName(written, anyName);
  return parsed.ok ? parsed.name : written;
}

/**
 * Removes all entries of a domain: the primary domain with the redirect of the platform's host to it, and the redirects from
 * and to it. Returns the same object if there are none.
 */
export function withoutDomain(config: DomainConfig, name: string): DomainConfig {
  const isIt = (written: string) => canonicalName(written) === name;
  const { primary, redirects } = config.domains;
  const kept = redirects.filter(({ from, to }) => !isIt(from) && !isIt(to));
  const losesPrimary = primary !== undefined && isIt(primary);
  if (!losesPrimary && kept.length === redirects.length) return config;
  if (losesPrimary) return { domains: { redirects: kept } };
  return { ...config, domains: { ...config.domains, redirects: kept } };
}

export interface CompiledRedirect {
  /** In ASCII form. */
  readonly to: string;
  readonly status: RedirectStatus;
}

/** The configuration with the redirect of the platform's host, if it is on, as an ordinary redirect. */
export function withPlatformRedirect(config: DomainConfig, platformHost: string): DomainConfig {
  const { primary, redirects } = config.domains;
  if (config.platformRedirect !== true || primary === undefined) return config;
  return { domains: { primary, redirects: [...redirects, { from: platformHost, to: primary, status: 308 }] } };
}

/** The cycle of the redirects: its names in order, the first repeated at the end; null without a cycle. */
export function findRedirectCycle(config: DomainConfig): readonly string[] | null {
  const next = new Map([...hopsOf(config)].map(([from, { to }]) => [from, to]));
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
 * The redirects for the edges, by ASCII name. Each chain is collapsed to its end, so that a visitor is redirected once. A chain
 * with a temporary hop is temporary, since browsers cache permanent redirects. A chain ends at its last reachable host, and
 * is left out if it has none.
 * @param isReachable whether a host, by its ASCII name, can be visited now
 * @throws Error when there is a cycle: it must have been refused when the configuration was stored
 */
export function compileRedirects(
  config: DomainConfig,
  isReachable: (host: string) => boolean = () => true,
): ReadonlyMap<string, CompiledRedirect> {
  if (findRedirectCycle(config) !== null) throw new Error('redirects form a cycle');
  const next = hopsOf(config);
  const compiled = new Map<string, CompiledRedirect>();
  for (const [from, first] of next) {
    let { status } = first;
    for (let hop: CompiledRedirect | undefined = first; hop !== undefined; hop = next.get(hop.to)) {
      if (!isTemporary(status) && isTemporary(hop.status)) ({ status } = hop);
      if (isReachable(hop.to)) compiled.set(from, { to: hop.to, status });
    }
  }
  return compiled;
}

/**
 * The hosts whose routes may change with those given: themselves, and every source of a redirect whose chain contains one of
 * them. With each of them the hosts that follow it in its chain, which its route depends on.
 * @param config with the redirect of the platform's host
 */
export function hostsConnectedTo(names: Iterable<string>, config: DomainConfig): ReadonlySet<string> {
  const changed = new Set(names);
  const connected = new Set(changed);
  const next = hopsOf(config);
  for (const from of next.keys()) {
    const chain = [from];
    for (let hop = next.get(from); hop !== undefined && !chain.includes(hop.to); hop = next.get(hop.to))
      chain.push(hop.to);
    if (chain.some((host) => changed.has(host))) for (const host of chain) connected.add(host);
  }
  return connected;
}

/** The redirects by their canonical source. */
function hopsOf({ domains }: DomainConfig): Map<string, CompiledRedirect> {
  return new Map(
    domains.redirects.map(({ from, to, status }) => [canonicalName(from), { to: canonicalName(to), status }]),
  );
}

function isTemporary(status: RedirectStatus): boolean {
  return status === 302 || status === 307;
}
