import { Inject, Injectable } from '@nestjs/common';
import type { EdgeFeedEntry, EdgeRoute } from '@pets/contracts';
import { notification, type Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { ClusterIdentity } from './cluster-identity.js';

/** The feed at the moment of a statement. */
export interface SessionHead {
  readonly epoch: string;
  readonly version: number;
  readonly thumbprint: string | null;
  readonly platformCertificate: string | null;
  /** Readers before it need a snapshot. */
  readonly compactedVersion: number;
  /** Whether the epoch began in another database cluster: its versions may have been used twice. */
  readonly isOfOtherCluster: boolean;
}

/** The last change that was read. */
export interface Cursor {
  readonly version: number;
  readonly host: string;
}

export interface FeedPage {
  readonly head: SessionHead;
  readonly entries: readonly EdgeFeedEntry[];
}

interface PageRow {
  readonly epoch: string;
  readonly head: bigint;
  readonly thumbprint: string | null;
  readonly platformCertificate: string | null;
  readonly compacted: bigint;
  readonly cluster: string | null;
  readonly currentCluster: string | null;
  readonly host: string | null;
  readonly version: bigint | null;
  readonly route: EdgeRoute | null;
  readonly traceparent: string | null;
}

/** Reads the feed in pages, for sessions. */
@Injectable()
export class FeedPagesRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly cluster: ClusterIdentity,
  ) {}

  /**
   * The changes after a position, in order of versions and hosts, and the head at the same moment: one statement has one
   * snapshot. A host that changes between two pages moves to a later page. So when a page is not full, its head covers all
   * pages: every change up to it was read.
   */
  async page({ version, host }: Cursor, limit: number): Promise<FeedPage> {
    const currentCluster = await this.cluster.expression();
    const { rows } = await sql<PageRow>`
      select f.epoch, f.version as head, f.thumbprint, f.compacted_version as compacted, f.cluster,
        f.platform_certificate as "platformCertificate",
        ${currentCluster} as "currentCluster", r.host, r.version, r.route, r.traceparent
      from edge_feed f
      left join lateral (
        select host, version, route, traceparent
        from edge_routes
        where (version, host) > (${version}::bigint, ${host}::text)
        order by version, host
        limit ${limit}
      ) r on true
      order by r.version, r.host`.execute(this.db);
    const [first] = rows;
    if (first === undefined) throw new Error('edge_feed has no row');
    return { head: headOf(first), entries: rows.flatMap(entryOf) };
  }

  /** Whether more than `limit` hosts changed after a version. Reads no more than that. */
  async isBehindBy(version: number, limit: number): Promise<boolean> {
    const found = await this.db
      .selectFrom('edge_routes')
      .select('version')
      .where('version', '>', BigInt(version))
      .limit(1)
      .offset(limit)
      .executeTakeFirst();
    return found !== undefined;
  }

  /**
   * Remembers the cluster of the epoch. If it is another one than before, a new epoch begins, and every edge loads a
   * snapshot. Changes nothing when another replica was faster. @returns whether a new epoch began
   */
  async adoptCluster(epoch: string): Promise<boolean> {
    const current = await this.cluster.expression();
    const { rows } = await sql<{ isNew: boolean }>`
      with adopted as (
        update edge_feed set cluster = ${current},
          epoch = case when cluster is null then epoch else gen_random_uuid() end
        where epoch = ${epoch}::uuid and cluster is distinct from ${current} and ${current} is not null
        returning epoch
      )
      select epoch <> ${epoch}::uuid as "isNew", ${notification('edge_feed')} from adopted`.execute(this.db);
    return rows[0]?.isNew === true;
  }
}

function headOf({ epoch, head, thumbprint, platformCertificate, compacted, ...row }: PageRow): SessionHead {
  const isOfOtherCluster = row.currentCluster !== null && row.currentCluster !== row.cluster;
  const [version, compactedVersion] = [Number(head), Number(compacted)];
  return { epoch, version, thumbprint, platformCertificate, compactedVersion, isOfOtherCluster };
}

function entryOf({ host, version, route, traceparent }: PageRow): EdgeFeedEntry[] {
  if (host === null) return [];
  return [{ host, version: Number(version), route, ...(traceparent !== null && { traceparent }) }];
}
