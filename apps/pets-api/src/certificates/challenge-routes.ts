import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../platform/providers.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { EdgeFeed } from '../names/edge-ports.js';

/** An order that is about to be dispatched, and the thumbprint that answers its challenge. */
export interface ChallengedOrder {
  readonly domainId: string;
  readonly name: string;
  /** That the route of the domain names; null for that of the feed. */
  readonly named: string | null;
  /** Of the account; null for the default one. */
  readonly thumbprint: string | null;
}

/**
 * Lets the routes of domains name the thumbprint of the account that orders for them. After the reservation, in a transaction
 * of its own: it needs the locks of projects, which others hold for longer than an order may wait. If the process dies between
 * the two, the next attempt finds the old thumbprint and publishes the new one.
 */
@Injectable()
export class ChallengeRoutes {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly domains: DomainsRepository,
    private readonly projects: ProjectsRepository,
    private readonly routes: RoutePublisher,
    private readonly feed: EdgeFeed,
  ) {}

  /** @returns the newest feed version that edges have to know; null when all orders are of the default account already */
  async publish(orders: readonly ChallengedOrder[]): Promise<number | null> {
    const named = orders.filter(({ thumbprint }) => thumbprint !== null).map(({ name }) => name);
    const changed = orders.filter((order) => order.named !== order.thumbprint);
    const version = changed.length === 0 ? null : await this.publishChanged(changed);
    // Another attempt may have published a thumbprint without waiting for the edges.
    return named.length === 0 ? version : Math.max(version ?? 0, await this.feed.versionOf(named));
  }

  private async publishChanged(orders: readonly ChallengedOrder[]): Promise<number | null> {
    const ids = orders.map(({ domainId }) => domainId);
    return this.db.transaction().execute(async (tx) => {
      const projects = await this.projects.lockCurrent(tx, async () =>
        [...(await this.domains.findProjects(ids, tx)).values()].flat(),
      );
      const written = Map.groupBy(await this.write(tx, orders, [...projects.keys()]), ({ projectId }) => projectId);
      const changes = [...written].flatMap(([id, domains]) => {
        const project = projects.get(id);
        return project === undefined ? [] : [{ project, names: domains.map(({ name }) => name) }];
      });
      return changes.length === 0 ? null : this.routes.publish(tx, changes);
    });
  }

  /** Of domains that have not left the locked projects meanwhile. */
  private async write(
    tx: Tx,
    orders: readonly ChallengedOrder[],
    projectIds: readonly string[],
  ): Promise<readonly { readonly projectId: string; readonly name: string }[]> {
    const ids = orders.map(({ domainId }) => domainId);
    const thumbprints = orders.map(({ thumbprint }) => thumbprint);
    const { rows } = await sql<{ projectId: string; name: string }>`
      update domains d set challenge_thumbprint = o.thumbprint
      from unnest(${ids}::uuid[], ${thumbprints}::text[]) as o (id, thumbprint)
      where d.id = o.id and d.state <> 'removed' and d.project_id = any(${projectIds})
      returning d.project_id as "projectId", d.name`.execute(tx);
    return rows;
  }
}
