/** Changes that a move of a domain to another project makes to the configurations of both. */
import type { DomainConfig } from '@pets/contracts';
import { canonicalName } from './domain-config.js';

/** A project, as far as its configuration is concerned. */
export interface ConfiguredProject {
  readonly config: DomainConfig;
  /** The host of the project below the platform domain. */
  readonly platformHost: string;
}

/** The configurations of both projects after a move. */
export interface MovedConfigs {
  readonly source: DomainConfig;
  readonly target: DomainConfig;
}

type Redirect = DomainConfig['domains']['redirects'][number];

/** The entries of a configuration that refer to a domain, as sentences for the owner. @param name in ASCII form */
export function referencesTo({ domains }: DomainConfig, name: string): readonly string[] {
  const isIt = (written: string) => canonicalName(written) === name;
  const { primary, redirects } = domains;
  return [
    ...(primary !== undefined && isIt(primary) ? [`${primary} is the primary domain of the project`] : []),
    ...redirects
      .filter(({ from, to }) => isIt(from) || isIt(to))
      .map(({ from, to, status }) => `${from} redirects to ${to} (${status})`),
  ];
}

/**
 * The domains that redirects connect with a domain, in either direction and over any number of redirects, itself included: a
 * redirect connects domains of one project, so they can only move together. The host of the project connects none.
 * @param name in ASCII form
 */
export function domainsConnectedTo(name: string, { config, platformHost }: ConfiguredProject): ReadonlySet<string> {
  const hops = config.domains.redirects
    .map(({ from, to }) => [canonicalName(from), canonicalName(to)] as const)
    .filter(([, to]) => to !== platformHost);
  const connected = new Set([name]);
  for (let before = 0; connected.size > before;) {
    before = connected.size;
    for (const hop of hops) if (hop.some((host) => connected.has(host))) for (const host of hop) connected.add(host);
  }
  return connected;
}

/**
 * Moves the entries of some domains, which no redirect connects with others. No cycle can result: a redirect that moves ends
 * at a domain that moves, or at the host of the target project, from which only domains of that project can be reached.
 * @param names in ASCII form
 */
export function moveConfigEntries(
  names: ReadonlySet<string>,
  source: ConfiguredProject,
  target: ConfiguredProject,
): MovedConfigs {
  const isMoved = (written: string) => names.has(canonicalName(written));
  const { moved = [], kept = [] } = Object.groupBy(source.config.domains.redirects, ({ from }) =>
    isMoved(from) ? 'moved' : 'kept',
  );
  const toTarget = (redirect: Redirect): Redirect =>
    canonicalName(redirect.to) === source.platformHost ? { ...redirect, to: target.platformHost } : redirect;
  const { primary } = source.config.domains;
  const losesPrimary = primary !== undefined && isMoved(primary);
  const targetPrimary = target.config.domains.primary ?? (losesPrimary ? primary : undefined);
  return {
    // Without a primary domain, the host of the project redirects nowhere.
    source: losesPrimary
      ? { domains: { redirects: kept } }
      : { ...source.config, domains: { ...source.config.domains, redirects: kept } },
    target: {
      ...target.config,
      domains: {
        ...(targetPrimary !== undefined && { primary: targetPrimary }),
        redirects: [...target.config.domains.redirects, ...moved.map(toTarget)],
      },
    },
  };
}
