import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { EdgeRoute } from '@pets/contracts';
import { channelLabel, hostsConnectedTo, withPlatformRedirect } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { currentTraceParent } from '@pets/platform';
import { SuspensionsRepository } from '../access/suspensions/suspensions.repository.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { RoutePublisher, type RouteChange } from '../projects/route-publisher.js';
import { addHsts, addSince, compileRoutes, type RoutableContent } from './compile-routes.js';
import { EdgeFeedRepository, type HostChange } from './edge-feed.repository.js';
import { staleSeconds } from './feed-protocol.js';
import { RoutableProjectsRepository, type RouteScope } from './routable-projects.repository.js';

/**
 * Publishes routes as versions of the edge feed. A change of a project publishes all its hosts. A change of domains publishes
 * their hosts and those connected to them by redirects (`hostsConnectedTo`): no other route depends on a domain. A change of
 * channels publishes their hosts, and the domains that serve them. The routes
 * of these hosts are compiled from the tables and compared with the published ones, so that the caller need not know what
 * follows from its change. Nothing is published when time passes: the expiry of a certificate is published with the alert to
 * its owner, and the end of renewals during a suspension with the next change of the domain or its project.
 */
@Injectable()
export class FeedRoutePublisher implements RoutePublisher {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'EDGE_MAX_STALENESS' | 'PLATFORM_DOMAIN'>,
    private readonly feed: EdgeFeedRepository,
    private readonly routable: RoutableProjectsRepository,
    private readonly suspensions: SuspensionsRepository,
  ) {}

  async publish(
    tx: Tx,
    changes: readonly RouteChange[],
    traces: ReadonlyMap<string, string | null> = new Map(),
  ): Promise<number | null> {
    const ids = changes.map(({ project }) => project.id);
    const scopes = new Map<string, RouteScope>();
    for (const change of changes) scopes.set(change.project.id, await this.scopeOf(tx, change));
    const contents = await this.routable.findContents(tx, scopes);
    const labels = await this.routable.listLabels(tx, forwardedWithin(scopes, contents));
    const domains = await this.routable.listDomains(tx, scopes);
    const excluded = await this.routable.listExcluded(tx, scopes);
    const suspensions = await this.suspensions.ofProjects(ids, tx);
    const published = await this.routable.listRoutes(tx, scopes);
    const changed = new Map<string, HostChange>();
    const current = currentTraceParent();
    const now = new Date();
    for (const { project } of changes) {
      const { id, slug, domainConfig: config, hsts, trailingSlash } = project;
      const compiled = compileRoutes(
        {
          slug,
          platformDomain: this.config.PLATFORM_DOMAIN,
          ...(contents.get(id) ?? NO_CONTENT),
          labels,
          trailingSlash,
          config,
          domains: domains.get(id) ?? [],
          excluded: excluded.get(id) ?? [],
          suspensions: suspensions.get(id) ?? [],
        },
        now,
      );
      const before = published.get(id) ?? new Map<string, EdgeRoute>();
      const routes = addSince(addHsts(within(scopes.get(id) ?? 'all', compiled), hsts), before, now);
      for (const [host, route] of differences(before, routes)) {
        // A host that moves between projects: its new route wins over the end of the old one.
        if (route === null && changed.has(host)) continue;
        changed.set(host, { projectId: id, route, traceParent: traces.get(host) ?? current });
      }
    }
    return changed.size === 0 ? null : this.feed.publish(tx, changed);
  }

  async isAppliedEverywhere(projectId: string): Promise<boolean> {
    const applied = await this.feed.appliedByAll(staleSeconds(this.config.EDGE_MAX_STALENESS));
    return applied === null || !(await this.feed.hasNewerRoutes(projectId, applied));
  }

  /** Hosts whose routes a change concerns; for a wildcard, also the names whose routes depend on it. */
  private async scopeOf(tx: Tx, change: RouteChange): Promise<RouteScope> {
    const { project, channels = [], previousConfig } = change;
    if (change.names === undefined && change.channels === undefined) return 'all';
    const { PLATFORM_DOMAIN: platformDomain } = this.config;
    const platformHost = `${project.slug}.${platformDomain}`;
    const bound = channels.length === 0 ? [] : await this.routable.listNamesOfChannels(tx, project.id, channels);
    const names = [...(change.names ?? []), ...bound];
    let hosts: ReadonlySet<string> = new Set([
      ...channels.map((channel) => `${channelLabel(channel, project.slug)}.${platformDomain}`),
      ...names,
      ...(await this.routable.listHostsBelow(tx, project.id, names)),
    ]);
    for (const config of new Set([previousConfig ?? project.domainConfig, project.domainConfig]))
      hosts = hostsConnectedTo(hosts, withPlatformRedirect(config, platformHost));
    return hosts;
  }
}

/** Content of a project that nothing is known about. */
const NO_CONTENT: RoutableContent = { contentHash: null, channels: [], origins: [] };

/** The hosts of some scopes that applications answer for: all of a project, or domains with an application of their own. */
function forwardedWithin(
  scopes: ReadonlyMap<string, RouteScope>,
  contents: ReadonlyMap<string, RoutableContent>,
): ReadonlyMap<string, RouteScope> {
  return new Map(
    [...scopes].flatMap(([id, scope]): [string, RouteScope][] => {
      const serving = (contents.get(id)?.origins ?? []).filter(({ isServing }) => isServing);
      if (serving.some(({ domain }) => domain === null)) return [[id, scope]];
      const names = serving.flatMap(({ domain }) => domain ?? []);
      return names.length === 0 ? [] : [[id, new Set(names)]];
    }),
  );
}

/** Leaves hosts outside the scope alone: without the domains that a route depends on, it is compiled wrongly. */
function within(scope: RouteScope, routes: ReadonlyMap<string, EdgeRoute>): ReadonlyMap<string, EdgeRoute> {
  return scope === 'all' ? routes : new Map([...routes].filter(([host]) => scope.has(host)));
}

/** New and changed routes, and null for routes that ended. */
function differences(
  published: ReadonlyMap<string, EdgeRoute>,
  routes: ReadonlyMap<string, EdgeRoute>,
): Map<string, EdgeRoute | null> {
  const changed = new Map<string, EdgeRoute | null>();
  for (const [host, route] of routes) if (!isDeepStrictEqual(published.get(host), route)) changed.set(host, route);
  for (const host of published.keys()) if (!routes.has(host)) changed.set(host, null);
  return changed;
}
