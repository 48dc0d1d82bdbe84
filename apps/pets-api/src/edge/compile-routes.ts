import { PLATFORM_CERTIFICATE, type DomainConfig, type EdgeRoute, type EdgeServe } from '@pets/contracts';
import {
  canonicalName,
  compileRedirects,
  coversPlatformHost,
  mayRenew,
  withPlatformRedirect,
  type Suspension,
} from '@pets/domains';

/** A domain that the edges have to know: verified or live. */
export interface RoutableDomain {
  readonly name: string;
  /** Newest issued certificate; null while there is none. */
  readonly certificateId: string | null;
  /** The end of that certificate. */
  readonly certificateEndsAt: Date | null;
  /** Everything that suspends it. */
  readonly suspensions: readonly Suspension[];
}

export interface RoutableProject {
  readonly slug: string;
  readonly platformDomain: string;
  /** Of the newest ready deployment; null before the first one. */
  readonly contentHash: string | null;
  readonly config: DomainConfig;
  readonly domains: readonly RoutableDomain[];
  /** What suspends the project or its organization. */
  readonly suspensions: readonly Suspension[];
}

const suspended: EdgeServe = { kind: 'suspended' };

/**
 * Every host of a project and what it serves. A domain without a certificate only answers challenges: serving it has to
 * wait for TLS. Redirects come out with their chains collapsed, and only to where browsers can go at this time: sent to a
 * host whose certificate is not there yet, or over, visitors would get nothing instead of the site. To a suspended host
 * they are sent as before: were it left out, the host that redirects would begin to serve what was suspended.
 */
export function compileRoutes(project: RoutableProject, now: Date): ReadonlyMap<string, EdgeRoute> {
  const site: EdgeServe | null =
    project.contentHash === null ? null : { kind: 'site', contentHash: project.contentHash };
  const platformHost = `${project.slug}.${project.platformDomain}`;
  const reachable = new Set([
    ...(site === null ? [] : [platformHost]),
    ...project.domains.filter((domain) => isReachable(domain, now)).map(({ name }) => name),
  ]);
  const config = isPrimarySuspended(project) ? project.config : withPlatformRedirect(project.config, platformHost);
  const redirects = compileRedirects(config, (host) => reachable.has(host));
  const served = (host: string): EdgeServe | null => {
    const redirect = redirects.get(host);
    return redirect === undefined ? site : { kind: 'redirect', ...redirect };
  };
  const routes = new Map<string, EdgeRoute>();
  if (site !== null) {
    const serve = project.suspensions.some(coversPlatformHost) ? suspended : served(platformHost);
    routes.set(platformHost, { answersChallenges: false, serve, certificateId: PLATFORM_CERTIFICATE });
  }
  for (const { name, certificateId, suspensions } of project.domains) {
    if (suspensions.length > 0) {
      routes.set(name, { answersChallenges: mayRenew(suspensions, now), serve: suspended, certificateId });
      continue;
    }
    const serve = certificateId === null ? null : served(name);
    routes.set(name, { answersChallenges: true, serve, certificateId });
  }
  return routes;
}

function isReachable({ certificateEndsAt }: RoutableDomain, now: Date): boolean {
  return certificateEndsAt !== null && certificateEndsAt > now;
}

/** A plan that no longer includes domains, or a domain that the operator suspends, leaves the project its platform host. */
function isPrimarySuspended({ config, domains }: RoutableProject): boolean {
  const { primary } = config.domains;
  if (primary === undefined) return false;
  const name = canonicalName(primary);
  return domains.some((domain) => domain.name === name && domain.suspensions.length > 0);
}
