import {
  isWildcard,
  originRow,
  PLATFORM_CERTIFICATE,
  type DomainConfig,
  type EdgeOrigin,
  type EdgeRoute,
  type EdgeServe,
  type Hsts,
  type Metadata,
  type TrailingSlash,
} from '@pets/contracts';
import {
  canonicalName,
  channelLabel,
  compileRedirects,
  coversPlatformHost,
  forwardedMetadata,
  isForwardable,
  mayRenew,
  withPlatformRedirect,
  type Suspension,
} from '@pets/domains';

/** A verified, live or prepared domain. */
export interface RoutableDomain {
  readonly name: string;
  /** The certificate that visitors get; null while there is none. */
  readonly certificateId: string | null;
  /** When that certificate expires. */
  readonly certificateEndsAt: Date | null;
  /** Whether its DNS still points elsewhere. It has a certificate then. */
  readonly isPrepared?: boolean;
  /** Whether it has no certificate, and the organization has the wildcard that covers it. */
  readonly hasOwnWildcard?: boolean;
  /** The channel that it serves; null for the active deployment. */
  readonly channel?: string | null;
  /** Every suspension that covers the domain. */
  readonly suspensions: readonly Suspension[];
}

interface RoutableChannel {
  readonly name: string;
  /** Content of the deployment that it serves. */
  readonly contentHash: string;
  /** The public key of the links that open it; null or absent where everybody may read it. */
  readonly linkKey?: string | null;
}

/** The application of a project, or of one of its domains. */
export interface RoutableOrigin {
  readonly id: string;
  /** Name of the domain whose own it is; null for that of the project. */
  readonly domain: string | null;
  /** Row of the route table. */
  readonly serve: EdgeOrigin;
  /** Whether a test has passed. */
  readonly isServing: boolean;
  /** Keys of the metadata of a domain that it receives. */
  readonly metadataKeys: readonly string[];
}

/**
 * Content of a project for its visitors. At a domain, its own origin comes first, then its channel, the origin of the project and
 * the deployment; an origin only once it serves.
 */
export interface RoutableContent {
  /** Content of the active deployment; null before the first one. */
  readonly contentHash: string | null;
  readonly channels: readonly RoutableChannel[];
  readonly origins: readonly RoutableOrigin[];
}

/** Labels by which owners know a domain. */
export interface DomainLabels {
  readonly domainId: string;
  readonly externalId: string | null;
  readonly metadata: Metadata | null;
}

export interface RoutableProject extends RoutableContent {
  readonly slug: string;
  readonly platformDomain: string;
  /** Labels by domain; needed where an application receives them. */
  readonly labels?: ReadonlyMap<string, DomainLabels>;
  readonly trailingSlash: TrailingSlash;
  readonly config: DomainConfig;
  readonly domains: readonly RoutableDomain[];
  /** Names that its wildcards cover and that nobody may be served. */
  readonly excluded?: readonly string[];
  /** Suspensions of the project or its organization. */
  readonly suspensions: readonly Suspension[];
}

type ForwardedLabels = Pick<Extract<EdgeServe, { kind: 'application' }>, 'domainId' | 'externalId' | 'metadata'>;

const suspended: EdgeServe = { kind: 'suspended' };
const excludedRoute: EdgeRoute = { answersChallenges: false, serve: { kind: 'excluded' }, certificateId: null };

/**
 * The routes of all hosts of a project. A domain without a certificate only answers challenges, since it cannot be served
 * over TLS. Chains of redirects are collapsed. A redirect to a host without a valid certificate is left out, since visitors
 * would get an error instead of the site; so is one to a host whose DNS still points elsewhere. A redirect to a suspended host stays: without it, the source would serve what was
 * suspended. A wildcard never answers challenges: CAs accept only DNS-01 for it. A name below the organization's own wildcard is
 * served by that until it has a certificate. Channels are served at hosts of their own, which nothing redirects, and by the
 * domains that are bound to them. Every origin has a row, also before it serves, since edges test it.
 */
export function compileRoutes(project: RoutableProject, now: Date): ReadonlyMap<string, EdgeRoute> {
  const serving = new Map(project.origins.flatMap((each) => (each.isServing ? [[each.domain, each]] : [])));
  const content = applicationOf(serving.get(null)) ?? siteOf(project.contentHash, project);
  const channels = new Map(
    project.channels.map(({ name, contentHash, linkKey }) => [name, siteOf(contentHash, project, linkKey)]),
  );
  const platformHost = `${project.slug}.${project.platformDomain}`;
  const reachable = new Set([
    ...(content === null ? [] : [platformHost]),
    ...project.domains.filter((domain) => isReachable(domain, now)).map(({ name }) => name),
  ]);
  const config = isPrimarySuspended(project) ? project.config : withPlatformRedirect(project.config, platformHost);
  const redirects = compileRedirects(config, (host) => reachable.has(host));
  const served = (host: string, shown: EdgeServe | null): EdgeServe | null => {
    const redirect = redirects.get(host);
    if (redirect !== undefined) return { kind: 'redirect', ...redirect };
    if (shown?.kind !== 'application') return shown;
    const { metadataKeys = [] } = serving.get(host) ?? serving.get(null) ?? {};
    return { ...shown, ...labelsFor(project.labels?.get(host), metadataKeys) };
  };
  const isSuspended = project.suspensions.some(coversPlatformHost);
  const routes = new Map<string, EdgeRoute>();
  if (content !== null) {
    const serve = isSuspended ? suspended : served(platformHost, content);
    routes.set(platformHost, { answersChallenges: false, serve, certificateId: PLATFORM_CERTIFICATE });
  }
  for (const [name, site] of channels) {
    const serve = isSuspended ? suspended : site;
    const host = `${channelLabel(name, project.slug)}.${project.platformDomain}`;
    routes.set(host, { answersChallenges: false, serve, certificateId: PLATFORM_CERTIFICATE, noindex: true });
  }
  for (const { id, serve } of project.origins)
    routes.set(originRow(id), { answersChallenges: false, serve, certificateId: null });
  for (const host of project.excluded ?? []) routes.set(host, excludedRoute);
  for (const domain of project.domains) {
    const { name, certificateId, channel = null, suspensions, isPrepared = false } = domain;
    const ofChannel = channel === null ? undefined : channels.get(channel);
    const shown = applicationOf(serving.get(name)) ?? ofChannel ?? content;
    const more = isPrepared ? { isPrepared } : {};
    if (suspensions.length > 0) {
      const answersChallenges = !isWildcard(name) && mayRenew(suspensions, now);
      routes.set(name, { answersChallenges, ...more, serve: suspended, certificateId });
      continue;
    }
    const serve = certificateId === null ? null : served(name, shown);
    const isCovered = certificateId === null && domain.hasOwnWildcard === true;
    const covered = isCovered ? ({ wildcardUntilCertified: true } as const) : {};
    routes.set(name, { answersChallenges: !isWildcard(name), ...more, ...covered, serve, certificateId });
  }
  return routes;
}

function applicationOf(origin: RoutableOrigin | undefined): EdgeServe | undefined {
  return origin && { kind: 'application', origin: origin.id };
}

function siteOf(
  contentHash: string | null,
  { trailingSlash }: RoutableProject,
  linkKey: string | null = null,
): EdgeServe | null {
  if (contentHash === null) return null;
  return {
    kind: 'site',
    contentHash,
    ...(trailingSlash !== 'auto' && { trailingSlash }),
    ...(linkKey !== null && { linkKey }),
  };
}

/** Labels of a host that the application receives: none at the platform host, which is no domain. */
function labelsFor(labels: DomainLabels | undefined, metadataKeys: readonly string[]): Partial<ForwardedLabels> {
  if (labels === undefined) return {};
  const { domainId, externalId, metadata } = labels;
  const text = forwardedMetadata(metadata, metadataKeys);
  return {
    domainId,
    ...(externalId !== null && { externalId }),
    ...(text !== undefined && isForwardable(text) && { metadata: text }),
  };
}

function isReachable({ certificateEndsAt, isPrepared = false }: RoutableDomain, now: Date): boolean {
  return !isPrepared && certificateEndsAt !== null && certificateEndsAt > now;
}

/** When the plan or the operator suspends the primary domain, the platform host serves the site instead of redirecting. */
function isPrimarySuspended({ config, domains }: RoutableProject): boolean {
  const { primary } = config.domains;
  if (primary === undefined) return false;
  const name = canonicalName(primary);
  return domains.some((domain) => domain.name === name && domain.suspensions.length > 0);
}

/**
 * Adds to each site when its content became what the host serves. A host that gets an earlier deployment again has it from now
 * on, so that this time never goes back.
 * @param published the routes before
 */
export function addSince(
  routes: ReadonlyMap<string, EdgeRoute>,
  published: ReadonlyMap<string, EdgeRoute>,
  now: Date,
): ReadonlyMap<string, EdgeRoute> {
  return new Map(
    [...routes].map(([host, route]) => {
      const { serve } = route;
      if (serve?.kind !== 'site') return [host, route];
      const before = published.get(host)?.serve;
      const isUnchanged = before?.kind === 'site' && before.contentHash === serve.contentHash;
      const since = (isUnchanged ? before.since : undefined) ?? Math.floor(now.getTime() / 1_000);
      return [host, { ...route, serve: { ...serve, since } }];
    }),
  );
}

/**
 * Adds Strict-Transport-Security to the routes of a project that configures it. Its own domains get the configured header.
 * The platform host never gets `includeSubDomains` or `preload`: the names below it are not the owner's to commit.
 */
export function addHsts(routes: ReadonlyMap<string, EdgeRoute>, hsts: Hsts | null): ReadonlyMap<string, EdgeRoute> {
  if (hsts === null) return routes;
  const { maxAge } = hsts;
  const ofPlatform = hstsHeader({ maxAge, includeSubDomains: false, preload: false });
  const ofOwner = hstsHeader(hsts);
  return new Map(
    [...routes].map(([host, route]) => {
      if (route.serve?.kind === 'origin') return [host, route];
      return [host, { ...route, hsts: route.certificateId === PLATFORM_CERTIFICATE ? ofPlatform : ofOwner }];
    }),
  );
}

/** RFC 6797 §6.1. */
function hstsHeader({ maxAge, includeSubDomains, preload }: Hsts): string {
  return [
    `max-age=${maxAge}`,
    ...(includeSubDomains ? ['includeSubDomains'] : []),
    ...(preload ? ['preload'] : []),
  ].join('; ');
}
