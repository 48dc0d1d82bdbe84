import { Inject, Injectable } from '@nestjs/common';
import type { CertificateAlert, DomainState } from '@pets/contracts';
import type { WorkKind } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import {
  CaReadingsRepository,
  type CaQueueReading,
  type LimitUse,
  type ParkedReading,
} from '../../certificates/ca-readings.repository.js';
import { platformSubjectOf } from '../../certificates/platform/platform-subject.js';
import {
  addUp,
  certificatesPageStatement,
  DAYS_LEFT,
  newestIssueStatement,
  type CertificatesInUse,
  type CertificatesPage,
} from './certificate-readings.js';
import { readLimited, single } from './shared-reading.js';

/** PostgreSQL cancels a statement that takes longer. */
const STATEMENT_LIMIT_MS = 5_000;
/** An edge counts as reachable for this long after its last report. Edges report every 5 s. */
const REACHABLE_SECONDS = 15;

/** Failures in a row that are the edge's fault. A single one may be a certificate that was replaced meanwhile. */
const FAILED_PROBES = 3;

/** Domains of a page: some 50 ms. */
const CERTIFICATES_PAGE = 10_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Current state, the same for every replica. */
export interface WorkReadings {
  /** Due work that is not leased. */
  readonly overdue: readonly { readonly kind: WorkKind; readonly count: number; readonly oldestSeconds: number }[];
  readonly edges: EdgeReadings;
  /** Null while the epoch has none. */
  readonly snapshot: SnapshotReadings | null;
  readonly webhooks: { readonly pending: number; readonly oldestDueSeconds: number };
  /** Applications that most edges cannot connect to, and those that any edge could not. */
  readonly origins: { readonly failing: number; readonly watched: number };
  /** How far the clock of the database is ahead of the clock of this process. */
  readonly clockAheadSeconds: number;
  readonly retention: readonly RetentionReading[];
  /** Time since which orders of the platform certificate fail; 0 while they do not, null where it is not ordered. */
  readonly platformCertificateFailsSeconds: number | null;
}

/** Readings that grow with the number of domains. */
export interface TotalReadings extends CertificatesInUse {
  /** Domains that are not removed, by state, by whether their DNS is wrong, and by the last alert. */
  readonly domains: readonly {
    readonly state: DomainState;
    readonly misconfigured: boolean;
    readonly alert: CertificateAlert | null;
    readonly count: number;
  }[];
  readonly limits: readonly LimitUse[];
  readonly queues: readonly CaQueueReading[];
  readonly parked: readonly ParkedReading[];
  readonly objects: ObjectsPending;
  readonly uploads: UploadsInUse;
  /** Time since a certificate was issued last; null before the first order. */
  readonly newestIssueSeconds: number | null;
}

/** Uploaded certificates that can be served. */
export interface UploadsInUse {
  readonly count: number;
  /** Null where there is none. */
  readonly shortestDaysLeft: number | null;
}

/** Objects of certificates in the storage that are still to be written, or to be deleted. */
export interface ObjectsPending {
  readonly write: number;
  readonly delete: number;
}

export interface EdgeReadings {
  readonly feedVersion: number;
  readonly reachable: number;
  /** Edges that stopped reporting, but not long enough ago to have stopped serving. */
  readonly silent: number;
  /** Versions that the slowest reachable edge has not applied. */
  readonly versionsBehind: number;
  /** Reachable edges that fail probes which others pass. */
  readonly failingProbes: number;
}

/** The deletion of old rows of a table. */
export interface RetentionReading {
  readonly table: string;
  /** Time since all of them were deleted. */
  readonly completedSeconds: number;
  /** The age of the oldest row left. */
  readonly oldestSeconds: number;
}

/** The newest complete snapshot of the routes. */
export interface SnapshotReadings {
  readonly ageSeconds: number;
  readonly bytes: number;
  readonly hosts: number;
  /** Versions of the feed that it lacks. */
  readonly versionsBehind: number;
}

/** Readings of the database for `/metrics`: a few statements on current rows, none on history. */
@Injectable()
export class ReadingsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG)
    private readonly config: Pick<
      Config,
      'EDGE_MAX_STALENESS' | 'PLATFORM_DOMAIN' | 'ACME_DNS_ZONE' | 'ISSUE_PLATFORM_CERTIFICATE'
    >,
    private readonly cas: CaReadingsRepository,
  ) {}

  readWork(): Promise<WorkReadings> {
    return this.limited(async (tx) => ({
      overdue: await this.readOverdue(tx),
      edges: await this.readEdges(tx),
      snapshot: await this.readSnapshot(tx),
      webhooks: await this.readWebhooks(tx),
      origins: await this.readOrigins(tx),
      clockAheadSeconds: await this.readClock(tx),
      retention: await this.readRetention(tx),
      platformCertificateFailsSeconds: await this.readPlatformCertificate(tx),
    }));
  }

  async readTotals(now: Date): Promise<TotalReadings> {
    const inUse = await this.readInUse();
    return this.limited(async (tx) => ({
      ...inUse,
      domains: (await domainCountsStatement.execute(tx)).rows,
      limits: await this.cas.readLimits(tx, now),
      queues: await this.cas.readQueues(tx, now),
      parked: await this.cas.readParked(tx),
      objects: await this.readObjects(tx),
      uploads: await this.readUploads(tx),
      newestIssueSeconds: single((await newestIssueStatement.execute(tx)).rows).seconds,
    }));
  }

  private limited<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    return readLimited(this.db, STATEMENT_LIMIT_MS, read);
  }

  private async readPlatformCertificate(tx: Tx): Promise<number | null> {
    const { domainId } = platformSubjectOf(this.config) ?? {};
    if (domainId === undefined) return null;
    const { rows } = await sql<{ seconds: number }>`
      select coalesce(extract(epoch from now() - problem_since), 0)::float8 as seconds
      from platform_certificate_orders where id = ${domainId}`.execute(tx);
    return rows[0]?.seconds ?? null;
  }

  private async readOverdue(tx: Tx): Promise<WorkReadings['overdue']> {
    const { rows } = await sql<WorkReadings['overdue'][number]>`
      select kind, count(*)::integer as count, extract(epoch from now() - min(due_at))::float8 as "oldestSeconds"
      from domain_work where due_at <= now() and (lease_until is null or lease_until <= now())
      group by kind`.execute(tx);
    return rows;
  }

  /** Page by page, each in a transaction of its own: memory, time and age of a snapshot stay small for any number. */
  private async readInUse(): Promise<CertificatesInUse> {
    let total: CertificatesInUse = { count: 0, shortestDaysLeft: null, endingWithin: DAYS_LEFT.map(() => 0) };
    for (let after: string | null = FIRST_ID; after !== null;) {
      const page: CertificatesPage = single(
        (await certificatesPageStatement(after, CERTIFICATES_PAGE).execute(this.db)).rows,
      );
      total = addUp(total, page);
      after = page.next;
    }
    return total;
  }

  /** From the two partial indexes, which are almost empty. */
  private async readObjects(tx: Tx): Promise<ObjectsPending> {
    const { rows } = await sql<ObjectsPending>`
      select
        (select count(*) from certificates
          where state in ('issued', 'checking', 'active') and has_key and object_written_at is null)::float8 as write,
        (select count(*) from certificates where has_object and not has_key)::float8 as delete`.execute(tx);
    return single(rows);
  }

  private async readUploads(tx: Tx): Promise<UploadsInUse> {
    const { rows } = await sql<UploadsInUse>`
      select count(*)::integer as count,
        (extract(epoch from min(not_after) - now()) / 86400)::float8 as "shortestDaysLeft"
      from certificates where state = 'active'`.execute(tx);
    return single(rows);
  }

  private async readEdges(tx: Tx): Promise<EdgeReadings> {
    const { EDGE_MAX_STALENESS: staleness } = this.config;
    const isReachable = sql`e.last_contact_at > now() - make_interval(secs => ${REACHABLE_SECONDS})`;
    const { rows } = await sql<EdgeReadings>`
      select f.version::float8 as "feedVersion", (count(e.id) filter (where ${isReachable}))::integer as reachable,
        (count(e.id) filter (where not ${isReachable}))::integer as silent,
        coalesce(max(f.version - case when e.epoch = f.epoch then e.acked_version else 0 end)
          filter (where ${isReachable}), 0)::float8 as "versionsBehind",
        (count(e.id) filter (where ${isReachable} and e.probe_failures >= ${FAILED_PROBES}))::integer as "failingProbes"
      from edge_feed f left join edges e on e.last_contact_at > now() - make_interval(secs => ${staleness})
      group by f.version`.execute(tx);
    return single(rows);
  }

  private async readSnapshot(tx: Tx): Promise<SnapshotReadings | null> {
    const { rows } = await sql<SnapshotReadings>`
      select extract(epoch from now() - s.finished_at)::float8 as "ageSeconds", s.bytes::float8 as bytes,
        s.hosts::float8 as hosts, (f.version - s.version)::float8 as "versionsBehind"
      from edge_snapshots s join edge_feed f on f.epoch = s.epoch
      where s.finished_at is not null and s.deleting_at is null
      order by s.version desc, s.finished_at desc limit 1`.execute(tx);
    return rows[0] ?? null;
  }

  private async readWebhooks(tx: Tx): Promise<WorkReadings['webhooks']> {
    const { rows } = await sql<WorkReadings['webhooks']>`
      select count(*)::integer as pending, greatest(coalesce(
        extract(epoch from now() - min(d.due_at)), 0), 0)::float8 as "oldestDueSeconds"
      from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id and e.enabled
      where d.state = 'pending'`.execute(tx);
    return single(rows);
  }

  /** From the index of watched ones, which every failing one is. */
  private async readOrigins(tx: Tx): Promise<WorkReadings['origins']> {
    const { rows } = await sql<WorkReadings['origins']>`
      select (count(*) filter (where state = 'failing'))::integer as failing, count(*)::integer as watched
      from origin_health where is_watched`.execute(tx);
    return single(rows);
  }

  private async readRetention(tx: Tx): Promise<readonly RetentionReading[]> {
    const { rows } = await sql<RetentionReading>`
      select name as table, extract(epoch from now() - completed_at)::float8 as "completedSeconds",
        greatest(coalesce(extract(epoch from now() - oldest_at), 0), 0)::float8 as "oldestSeconds"
      from retention_tasks order by name`.execute(tx);
    return rows;
  }

  /** Exact to half of the round trip. */
  private async readClock(tx: Tx): Promise<number> {
    const [startMs, startedAtMs] = [Date.now(), performance.now()];
    const { rows } = await sql<{ atMs: number }>`
      select extract(epoch from clock_timestamp())::float8 * 1000 as "atMs"`.execute(tx);
    const halfMs = (performance.now() - startedAtMs) / 2;
    return (single(rows).atMs - startMs - halfMs) / 1_000;
  }
}

/** Reads the index `domains_by_state` alone; a test checks its plan. */
export const domainCountsStatement = sql<TotalReadings['domains'][number]>`
  select state, misconfigured, certificate_alert as alert, count(*)::integer as count
  from domains where state <> 'removed' group by state, misconfigured, certificate_alert`;
