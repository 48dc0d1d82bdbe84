import { Inject, Injectable } from '@nestjs/common';
import { chooseRow, isWildcard, wildcardOf, type EdgeRoute } from '@pets/contracts';
import { notify, recordset, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import type { EdgeFeed } from '../names/edge-ports.js';
import { DATABASE } from '../platform/providers.js';

/** An edge counts as reachable for this long after its last report. Edges report every 5 s. */
export const REACHABLE_SECONDS = 15;

export interface FeedHead {
  readonly epoch: string;
  readonly version: number;
  readonly thumbprint: string | null;
  /** Ended routes up to it may have been deleted: a reader before it has to start over. */
  readonly compactedVersion: number;
}

/** The new state of a host; `route` is null when it is no longer served. */
export interface HostChange {
  readonly projectId: string;
  readonly route: EdgeRoute | null;
  /** The trace of the change, where traces are recorded. */
  readonly traceParent: string | null;
}

/** How far an edge is. */
export interface EdgeProgress {
  readonly edgeId: string;
  readonly appliedVersion: number;
  readonly isReachable: boolean;
  /** Whether its last contact is so recent that it may serve what it has. */
  readonly mayServe: boolean;
}

/** An edge as the operator sees it. */
export interface ListedEdge {
  readonly id: string;
  readonly ackedVersion: number;
  readonly lastContactAt: Date;
  readonly region: string | null;
  /** Probes in a row that it failed while other edges passed. */
  readonly probeFailures: number;
}

@Injectable()
export class EdgeFeedRepository implements EdgeFeed {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async head(db: Database = this.db): Promise<FeedHead> {
    const row = await db
      .selectFrom('edge_feed')
      .select(['epoch', 'version', 'thumbprint', 'compacted_version'])
      .executeTakeFirstOrThrow();
    const { epoch, version, thumbprint, compacted_version: compactedVersion } = row;
    return { epoch, version: Number(version), thumbprint, compactedVersion: Number(compactedVersion) };
  }

  /** The route that answers for a host, perhaps of a wildcard; null when it is not served, or is suspended. */
  async routeOf(host: string): Promise<EdgeRoute | null> {
    const wildcard = wildcardOf(host);
    const rows = await this.db
      .selectFrom('edge_routes')
      .select(['host', 'route'])
      .where('host', 'in', wildcard === undefined ? [host] : [host, wildcard])
      .execute();
    const [exact, covering] = [host, wildcard].map(
      (row) => rows.find((found) => found.host === row)?.route ?? undefined,
    );
    const chosen = chooseRow(exact, covering);
    const route = chosen === undefined || chosen === 'exact' ? exact : covering;
    const isServed = chosen !== undefined && route !== undefined && route.serve?.kind !== 'suspended';
    return isServed ? route : null;
  }

  /** The newest version with a change of some hosts; 0 when there is none. */
  async versionOf(hosts: readonly string[]): Promise<number> {
    const row = await this.db
      .selectFrom('edge_routes')
      .select(({ fn }) => fn.max('version').as('version'))
      .where('host', 'in', hosts)
      .executeTakeFirst();
    return Number(row?.version ?? 0n);
  }

  /** The newest version with a change of some projects; 0 when there is none. */
  async versionOfProjects(tx: Tx, projectIds: readonly string[]): Promise<number> {
    const row = await tx
      .selectFrom('edge_routes')
      .select(({ fn }) => fn.max('version').as('version'))
      .where(sql<boolean>`project_id = any(${projectIds})`)
      .executeTakeFirst();
    return Number(row?.version ?? 0n);
  }

  /** Whether a route of a project changed after a version. */
  async hasNewerRoutes(projectId: string, version: bigint): Promise<boolean> {
    const newer = this.db.selectFrom('edge_routes').select('version').where('project_id', '=', projectId);
    return (await newer.where('version', '>', version).limit(1).executeTakeFirst()) !== undefined;
  }

  /**
   * Publishes changed hosts under the next version. The counter row stays locked until the transaction ends, so that
   * versions commit in order: call this last.
   */
  async publish(tx: Tx, changed: ReadonlyMap<string, HostChange>): Promise<number> {
    const { version } = await tx
      .updateTable('edge_feed')
      .set({ version: sql`version + 1` })
      .returning('version')
      .executeTakeFirstOrThrow();
    const given = [...changed].map(([host, change]) => ({ host, ...change }));
    await sql`
      insert into edge_routes (host, project_id, version, route, traceparent)
      select g.host, g."projectId", ${version}, nullif(g.route, 'null'::jsonb), g."traceParent"
      from ${recordset('g', publishedColumns, given)}
      on conflict (host) do update
      set project_id = excluded.project_id, version = excluded.version, route = excluded.route,
        traceparent = excluded.traceparent`.execute(tx);
    await endForeignStandIns(tx, changed, version);
    await notify(tx, 'edge_feed');
    return Number(version);
  }

  /**
   * Publishes the thumbprint for challenge responses, under its own version, so that an acknowledgement covers it. Changes
   * nothing where a later announcement was applied. @returns whether this is the newest
   */
  async setThumbprint(tx: Tx, thumbprint: string, announcedAt: Date): Promise<boolean> {
    const newest = await tx
      .updateTable('edge_feed')
      .set({ thumbprint_at: announcedAt })
      .where(sql<boolean>`coalesce(thumbprint_at <= ${announcedAt}, true)`)
      .executeTakeFirst();
    if (newest.numUpdatedRows === 0n) return false;
    const { numUpdatedRows } = await tx
      .updateTable('edge_feed')
      .set({ version: sql`version + 1`, thumbprint })
      .where('thumbprint', 'is distinct from', thumbprint)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await notify(tx, 'edge_feed');
    return true;
  }

  /** Publishes the sealed headers of origins again, where a key rotation has changed them. @returns how many */
  async publishOriginHeaders(): Promise<number> {
    return this.db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ host: string; projectId: string; route: EdgeRoute }>`
        select r.host, r.project_id as "projectId",
          jsonb_set(r.route, '{serve,sealedHeaders}', to_jsonb(o.sealed_headers::text)) as route
        from origins o join edge_routes r on r.host = 'origin:' || o.id
        where o.sealed_headers <> '' and r.route #>> '{serve,sealedHeaders}' <> o.sealed_headers
        for update of r`.execute(tx);
      const changed = rows.map(
        ({ host, projectId, route }) => [host, { projectId, route, traceParent: null }] as const,
      );
      if (changed.length > 0) await this.publish(tx, new Map(changed));
      return changed.length;
    });
  }

  /**
   * Begins a new epoch: every edge loads a snapshot, and until then counts as an edge that has applied nothing.
   * @returns the epoch
   */
  async rotateEpoch(): Promise<string> {
    return this.db.transaction().execute(async (tx) => {
      const set = { epoch: sql<string>`gen_random_uuid()` };
      const { epoch } = await tx.updateTable('edge_feed').set(set).returning('epoch').executeTakeFirstOrThrow();
      await notify(tx, 'edge_feed');
      return epoch;
    });
  }

  /** Deletes an edge that has stopped for good. @returns whether it was known */
  async forget(edgeId: string): Promise<boolean> {
    const { numDeletedRows } = await this.db.deleteFrom('edges').where('id', '=', edgeId).executeTakeFirst();
    await notify(this.db, 'edge_acks');
    return numDeletedRows > 0n;
  }

  async list(): Promise<ListedEdge[]> {
    const rows = await this.db
      .selectFrom('edges')
      .select(['id', 'acked_version', 'last_contact_at', 'region', 'probe_failures'])
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      ackedVersion: Number(row.acked_version),
      lastContactAt: row.last_contact_at,
      region: row.region,
      probeFailures: row.probe_failures,
    }));
  }

  /** Counts edges with a recent report that have not applied a version. */
  async countPending(version: number, seenWithinSeconds: number, db: Database = this.db): Promise<number> {
    const { count } = await db
      .selectFrom('edges')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where(acked, '<', BigInt(version))
      .where(seenWithin(seenWithinSeconds))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** The newest version that every edge with a recent report has applied; null when there is no such edge. */
  async appliedByAll(seenWithinSeconds: number): Promise<bigint | null> {
    const { version } = await this.db
      .selectFrom('edges')
      .select(({ fn }) => fn.min<bigint | null>(acked).as('version'))
      .where(seenWithin(seenWithinSeconds))
      .executeTakeFirstOrThrow();
    return version;
  }

  /** The edges that may serve, and those that are reachable. @param seenWithinSeconds an edge may serve without contact */
  async listProgress(seenWithinSeconds: number): Promise<EdgeProgress[]> {
    const rows = await this.db
      .selectFrom('edges')
      .select(['id', acked.as('applied')])
      .select([seenWithin(REACHABLE_SECONDS).as('isReachable'), seenWithin(seenWithinSeconds).as('mayServe')])
      .where(seenWithin(Math.max(REACHABLE_SECONDS, seenWithinSeconds)))
      .execute();
    return rows.map(({ id, applied, ...edge }) => ({ edgeId: id, appliedVersion: Number(applied), ...edge }));
  }
}

/** Version of this epoch that an edge has applied. */
const acked = sql<bigint>`case when epoch = (select epoch from edge_feed) then acked_version else 0 end`;

const publishedColumns = {
  host: 'text',
  projectId: 'uuid',
  route: 'jsonb',
  traceParent: 'text',
} as const;

/** For a statement on `edges`. */
export function seenWithin(seconds: number) {
  return sql<boolean>`last_contact_at > now() - make_interval(secs => ${seconds})`;
}

/**
 * A wildcard stands in for a host without a certificate only within its organization. Whichever of the two is published, one of
 * another organization ceases to do so in the same version: a publication does not compile the other's project.
 */
async function endForeignStandIns(
  tx: Tx,
  changed: ReadonlyMap<string, { readonly route: EdgeRoute | null }>,
  version: bigint,
): Promise<void> {
  const hosts = [...changed].flatMap(([host, { route }]) => {
    const mayStandIn = isWildcard(host) ? route !== null : route?.wildcardUntilCertified === true;
    return mayStandIn ? [host] : [];
  });
  if (hosts.length === 0) return;
  await sql`
    update edge_routes r set version = ${version}, route = r.route - 'wildcardUntilCertified'
    from edge_routes w join projects wp on wp.id = w.project_id
    where r.route -> 'wildcardUntilCertified' is not null and w.host = '*' || substr(r.host, strpos(r.host, '.'))
      and w.route is not null and (w.host = any(${hosts}) or r.host = any(${hosts}))
      and not exists (
        select from projects rp where rp.id = r.project_id and rp.organization_id = wp.organization_id
      )`.execute(tx);
}
