import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { readLimited, single } from './shared-reading.js';

/** PostgreSQL cancels the statement after this. */
const STATEMENT_LIMIT_MS = 2_000;

/**
 * The state of the database server. What belongs to other roles needs `pg_monitor`; without it only our own sessions are
 * seen, and standbys are counted without their delay.
 */
export interface DatabaseReadings {
  readonly connections: number;
  /** Connections that are allowed, without those that are reserved for administrators. */
  readonly connectionLimit: number;
  /** Age of the oldest open transaction. */
  readonly oldestTransactionSeconds: number;
  /** The largest number of transactions since a database was frozen; at 2^31 PostgreSQL stops accepting writes. */
  readonly transactionIdAge: number;
  readonly standbys: number;
  /** How far the slowest standby is behind; 0 without one. */
  readonly standbyDelaySeconds: number;
  /** Log that an inactive replication slot keeps on disk. */
  readonly keptLogBytes: number;
  /** Time since the last segment of the log was archived; null while archiving is off or has not failed since. */
  readonly archivingFailsSeconds: number | null;
  /** Time since the last backup that was reported was complete; null if none ever was. */
  readonly backupAgeSeconds: number | null;
  /** How often backups are made, as their job reports it; null if it does not. */
  readonly backupIntervalSeconds: number | null;
}

/** Statistics views, and the one row of `last_backup`. */
@Injectable()
export class DatabaseReadingsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  readDatabase(): Promise<DatabaseReadings> {
    return readLimited(this.db, STATEMENT_LIMIT_MS, async (tx) => single((await databaseStatement.execute(tx)).rows));
  }
}

// PostgreSQL has `reserved_connections` from version 16 on.
const databaseStatement = sql<DatabaseReadings>`
  select a.connections, a."oldestTransactionSeconds",
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
      - coalesce(current_setting('reserved_connections', true), '0')::integer as "connectionLimit",
    (select max(age(datfrozenxid)) from pg_database)::float8 as "transactionIdAge",
    r.standbys, r."standbyDelaySeconds",
    (select coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)), 0) from pg_replication_slots
      where not active)::float8 as "keptLogBytes",
    (select case
        when current_setting('archive_mode') <> 'off' and last_failed_time > coalesce(last_archived_time, '-infinity')
        then extract(epoch from now() - coalesce(last_archived_time, stats_reset))
      end from pg_stat_archiver)::float8 as "archivingFailsSeconds",
    (select extract(epoch from now() - finished_at) from last_backup)::float8 as "backupAgeSeconds",
    (select interval_seconds from last_backup)::float8 as "backupIntervalSeconds"
  from (
    select count(*)::integer as connections,
      coalesce(extract(epoch from now() - min(xact_start) filter (where pid <> pg_backend_pid())), 0)::float8
        as "oldestTransactionSeconds"
    from pg_stat_activity where backend_type = 'client backend'
  ) a cross join (
    select count(*)::integer as standbys,
      coalesce(extract(epoch from max(replay_lag)), 0)::float8 as "standbyDelaySeconds"
    from pg_stat_replication
  ) r`;
