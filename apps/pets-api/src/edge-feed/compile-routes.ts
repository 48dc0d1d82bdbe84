import { PLATFORM_CERTIFICATE, type DomainConfig, type EdgeRoute, type EdgeServe } from '@pets/contracts';
import { compileRedirects } from '@pets/domains';

/** A domain that the edges have to know: verified or live. */
export interface RoutableDomain {
  readonly name: string;
  /** Newest issued certificate; null while there is none. */
  readonly certificateId: string | null;
  /** The end of that certificate. */
  readonly certificateEndsAt: Date | null;
}

export interface RoutableProject {
  readonly slug: string;
  readonly platformDomain: string;
  /** Of the newest ready deployment; null before the first one. */
  readonly contentHash: string | null;
  readonly config: DomainConfig;
  readonly domains: readonly RoutableDomain[];
}

/**
 * Every host of a project and what it serves. A domain without a certificate only answers challenges: serving it has to
 * wait for TLS. Redirects come out with their chains collapsed, and only to where browsers can go at this time: sent to a
 * host whose certificate is not there yet, or over, visitors would get nothing instead of the site.
 */
export function compileRoutes(project: RoutableProject, now: Date): ReadonlyMap<string, EdgeRoute> {
  const site: EdgeServe | null =
    project.contentHash === null ? null : { kind: 'site', contentHash: project.contentHash };
  const platformHost = `${project.slug}.${project.platformDomain}`;
  const reachable = new Set([
    ...(site === null ? [] : [platformHost]),
    ...project.domains.filter((domain) => isReachable(domain, now)).map(({ name }) => name),
  ]);
  const redirects = compileRedirects(project.config, (host) => reachable.has(host));
  const routes = new Map<string, EdgeRoute>();
  if (site !== null)
    routes.set(platformHost, { answersChallenges: false, serve: site, certificateId: PLATFORM_CERTIFICATE });
  for (const { name, certificateId } of project.domains) {
    const redirect = redirects.get(name);
    const serve: EdgeServe | null = redirect === undefined ? site : { kind: 'redirect', ...redirect };
    routes.set(name, { answersChallenges: true, serve: certificateId === null ? null : serve, certificateId });
  }
  return routes;
}

function isReachable({ certificateEndsAt }: RoutableDomain, now: Date): boolean {
  return certificateEndsAt !== null && certificateEndsAt > now;
}
