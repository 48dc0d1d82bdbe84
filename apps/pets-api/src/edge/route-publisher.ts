import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { EdgeRoute } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { currentTraceParent } from '@pets/platform';
import { CertificatesRepository } from '../domains/certificates/certificates.repository.js';
import type { Config } from '../platform/config.js';
import { DeploymentsRepository } from '../projects/deployments/deployments.repository.js';
import { addHsts } from '../projects/add-hsts.js';
import type { ProjectRow } from '../projects/projects.repository.js';
import { CONFIG } from '../platform/providers.js';
import { SuspensionsRepository } from '../domains/suspensions/suspensions.repository.js';
import { compileRoutes } from './compile-routes.js';
import { EdgeFeedRepository, type HostChange } from './edge-feed.repository.js';

/**
 * Brings the edge feed in line with a project. Called at the end of every transaction that changed a project, its
 * deployments, its configuration or one of its domains: what the edges should know is compiled afresh from the tables
 * and compared with what they were told, so no change can be forgotten. What changes with the time alone, the end of a
 * certificate, is published when its owner is told.
 */
@Injectable()
export class RoutePublisher {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLATFORM_DOMAIN'>,
    private readonly feed: EdgeFeedRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly certificates: CertificatesRepository,
    private readonly suspensions: SuspensionsRepository,
  ) {}

  /**
   * Several projects are brought in line in one version: a host that moves from one to the other changes hands at once.
   * @param traces of changes that are made together and are no one's request, by host
   * @returns the feed version that holds the change, or null when there was none
   */
  async publish(
    tx: Tx,
    projects: readonly ProjectRow[],
    traces: ReadonlyMap<string, string | null> = new Map(),
  ): Promise<number | null> {
    const ids = projects.map(({ id }) => id);
    const [hashes, domains, suspensions, told] = [
      await this.deployments.findServedHashes(tx, ids),
      await this.certificates.listRoutableDomains(tx, ids),
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
