import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { EdgeRoute } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { currentTraceParent } from '@pets/platform';
import type { Config } from '../platform/config.js';
import { addHsts } from './add-hsts.js';
import type { ProjectRow } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { CONFIG } from '../platform/providers.js';
import { SuspensionsRepository } from '../access/suspensions/suspensions.repository.js';
import { compileRoutes } from './compile-routes.js';
import { EdgeFeedRepository, type HostChange } from './edge-feed.repository.js';
import { RoutableProjectsRepository } from './routable-projects.repository.js';

/**
 * Routes as versions of the edge feed: what the edges should know is compiled afresh from the tables and compared with what
 * they were sent, so no change can be forgotten. What changes with the time alone, the end of a certificate, is published
 * when its owner is notified.
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
    const [hashes, domains, suspensions, told] = [
      await this.routable.findServedHashes(tx, ids),
      await this.routable.listDomains(tx, ids),
      await this.suspensions.ofProjects(ids, tx),
      await this.feed.routesOf(tx, ids),
    ];
    const changed = new Map<string, HostChange>();
    const current = currentTraceParent();
    const now = new Date();
    for (const { id, slug, domainConfig: config, hsts } of projects) {
      const contentHash = hashes.get(id) ?? null;
      const platformDomain = this.config.PLATFORM_DOMAIN;
      const own = { domains: domains.get(id) ?? [], suspensions: suspensions.get(id) ?? [] };
      const wanted = addHsts(compileRoutes({ slug, platformDomain, contentHash, config, ...own }, now), hsts);
      for (const [host, route] of differences(told.get(id) ?? new Map(), wanted)) {
        // That one project has a host no more does not undo that another one has it now.
        if (route === null && changed.has(host)) continue;
        changed.set(host, { projectId: id, route, traceParent: traces.get(host) ?? current });
      }
    }
    return changed.size === 0 ? null : this.feed.publish(tx, changed);
  }
}

/** What has to be told: new and changed routes, and null for those that ended. */
function differences(
  told: ReadonlyMap<string, EdgeRoute>,
  wanted: ReadonlyMap<string, EdgeRoute>,
): Map<string, EdgeRoute | null> {
  const changed = new Map<string, EdgeRoute | null>();
  for (const [host, route] of wanted) if (!isDeepStrictEqual(told.get(host), route)) changed.set(host, route);
  for (const host of told.keys()) if (!wanted.has(host)) changed.set(host, null);
  return changed;
}
