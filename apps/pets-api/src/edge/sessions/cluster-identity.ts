import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
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
