import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { EdgeRoute } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { currentTraceParent } from '@pets/platform';
import { SuspensionsRepository } from '../access/suspensions/suspensions.repository.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import type { ProjectRow } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { addHsts, compileRoutes } from './compile-routes.js';
import { EdgeFeedRepository, type HostChange } from './edge-feed.repository.js';
import { RoutableProjectsRepository } from './routable-projects.repository.js';

/**
 * Publishes routes as versions of the edge feed. Routes are always compiled from the tables and compared with the published
 * ones, so no change can be missed. The expiry of a certificate, which no transaction causes, is published with the alert
 * to its owner.
 */
@Injectable()
export class FeedRoutePublisher implements RoutePublisher {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLATFORM_DOMAIN'>,
    private readonly feed: EdgeFeedRepository,
    private readonly routable: RoutableProjectsRepository,
    private readonly suspensions: SuspensionsRepository,
  ) {}

  async publish(
    tx: Tx,
    projects: readonly ProjectRow[],
    traces: ReadonlyMap<string, string | null> = new Map(),
  ): Promise<number | null> {
    const ids = projects.map(({ id }) => id);
    const hashes = await this.routable.findServedHashes(tx, ids);
    const domains = await this.routable.listDomains(tx, ids);
    const suspensions = await this.suspensions.ofProjects(ids, tx);
    const published = await this.feed.routesOf(tx, ids);
    const changed = new Map<string, HostChange>();
    const current = currentTraceParent();
    const now = new Date();
    for (const { id, slug, domainConfig: config, hsts } of projects) {
      const contentHash = hashes.get(id) ?? null;
      const platformDomain = this.config.PLATFORM_DOMAIN;
      const project = {
        slug,
        platformDomain,
        contentHash,
        config,
        domains: domains.get(id) ?? [],
        suspensions: suspensions.get(id) ?? [],
      };
      const routes = addHsts(compileRoutes(project, now), hsts);
      for (const [host, route] of differences(published.get(id) ?? new Map(), routes)) {
        // A host that moves between projects: its new route wins over the end of the old one.
        if (route === null && changed.has(host)) continue;
        changed.set(host, { projectId: id, route, traceParent: traces.get(host) ?? current });
      }
    }
    return changed.size === 0 ? null : this.feed.publish(tx, changed);
  }
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
