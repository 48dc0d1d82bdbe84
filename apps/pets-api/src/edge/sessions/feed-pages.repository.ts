import { Inject, Injectable } from '@nestjs/common';
import { EDGE_FEED_PROTOCOL, type EdgeFeedEntry, type EdgeRoute } from '@pets/contracts';
import { notification, type Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE, LOG } from '../../platform/providers.js';

/**
 * The system identifier of a PostgreSQL cluster and its timeline. A dump that is restored has another identifier. A standby
 * that is promoted, and a recovery to a point in time, have another timeline; `pg_control_checkpoint` would show it only
 * after a checkpoint. Fails in a standby, which nobody may read the feed from.
 */
const IDENTITY = sql<string | null>`(
  select system_identifier::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) from pg_control_system()
)`;

const UNKNOWN = sql<string | null>`null::text`;

/** SQLSTATEs: a function does not exist, is not permitted, or is not supported. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set(['42883', '42501', '0A000']);

/**
 * Identifies the database cluster that answers a statement. After a failover to an asynchronous standby, versions are
 * used a second time: acknowledgements from before it must not count, and every edge needs a snapshot.
 */
@Injectable()
export class ClusterIdentity {
  #expression: RawBuilder<string | null> | undefined;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /**
   * The identity as a part of a statement, so that the server that runs it answers. Null where PostgreSQL lacks the
   * functions. @throws when the database does not answer
   */
  async expression(): Promise<RawBuilder<string | null>> {
    return (this.#expression ??= (await this.#isSupported()) ? IDENTITY : UNKNOWN);
  }

  async #isSupported(): Promise<boolean> {
    try {
      await sql`select ${IDENTITY}`.execute(this.db);
      return true;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && UNSUPPORTED.has(error.code))) throw error;
      this.log.warn({ err: error }, 'failovers are not detected; run `admin feed rotate-epoch` after each');
      return false;
    }
  }
}

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
interface Cursor {
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

/** One `batch` message of a session, which begins with what depends on its reader. */
export interface EncodedPart {
  readonly after: number;
  /** The position of a reader after it. */
  readonly version: number;
  readonly bytes: Buffer;
  readonly prefixBytes: number;
}

/** A part of the changes after a version. Only the last one has the new version. */
export function encodePart({
  head,
  entries,
  after,
  isLast,
}: FeedPage & { readonly after: number; readonly isLast: boolean }): EncodedPart {
  return withRest({ after, version: isLast ? head.version : after }, encodeRest(head, entries));
}

/** Says that a reader has everything. */
export function emptyBatch(head: SessionHead): EncodedPart {
  return encodePart({ head, entries: [], after: head.version, isLast: true });
}

/** The same changes for a reader that has a part of them already. */
export function encodeFrom({ bytes, prefixBytes }: EncodedPart, after: number, version: number): EncodedPart {
  return withRest({ after, version }, bytes.subarray(prefixBytes));
}

function withRest({ after, version }: Pick<EncodedPart, 'after' | 'version'>, rest: Buffer): EncodedPart {
  const prefix = Buffer.from(`{"kind":"batch","after":${after},"version":${version},"protocol":${EDGE_FEED_PROTOCOL},`);
  return { after, version, bytes: Buffer.concat([prefix, rest]), prefixBytes: prefix.length };
}

function encodeRest(
  { epoch, thumbprint, platformCertificate }: SessionHead,
  entries: readonly EdgeFeedEntry[],
): Buffer {
  return Buffer.from(JSON.stringify({ epoch, thumbprint, platformCertificate, entries }).slice(1));
}
