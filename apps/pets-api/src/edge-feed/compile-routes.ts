import { PLATFORM_CERTIFICATE, type DomainConfig, type EdgeRoute, type EdgeServe } from '@pets/contracts';
import { compileRedirects } from '@pets/domains';

/** A domain that the edges have to know: verified or live. */
export interface RoutableDomain {
  readonly name: string;
  /** Newest issued certificate; null while there is none. */
  readonly certificateId: string | null;
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
 * wait for TLS. Redirects come out with their chains collapsed.
 */
export function compileRoutes(project: RoutableProject): ReadonlyMap<string, EdgeRoute> {
  const site: EdgeServe | null =
    project.contentHash === null ? null : { kind: 'site', contentHash: project.contentHash };
  const redirects = compileRedirects(project.config);
  const routes = new Map<string, EdgeRoute>();
  if (site !== null) {
    const host = `${project.slug}.${project.platformDomain}`;
    routes.set(host, { answersChallenges: false, serve: site, certificateId: PLATFORM_CERTIFICATE });
  }
  for (const { name, certificateId } of project.domains) {
    const redirect = redirects.get(name);
    const serve: EdgeServe | null = redirect === undefined ? site : { kind: 'redirect', ...redirect };
    routes.set(name, { answersChallenges: true, serve: certificateId === null ? null : serve, certificateId });
  }
  return routes;
}
