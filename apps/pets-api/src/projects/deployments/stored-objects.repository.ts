import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** After this time a file that was being deleted may be written again: its sweeper has long timed out. */
export const DELETION_LEASE = sql`interval '2 minutes'`;

/** Time limit to delete a marked file before the next sweep takes it. Much shorter than the lease. */
export const DELETION_LIMIT_MS = 30_000;

export interface MarkedObjects {
  readonly markedAt: Date;
  readonly objects: readonly { readonly id: bigint; readonly key: string }[];
}

/** Files that no organization has. They are marked, deleted from the storage, and then their rows are deleted. */
@Injectable()
export class StoredObjectsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Marks the files that are idle for longest, and those that a crashed process had marked. No upload uses them from then on. */
  async markIdle(limit: number): Promise<MarkedObjects> {
    // JavaScript dates have milliseconds.
    const { rows } = await sql<{ id: bigint; key: string; markedAt: Date }>`
      update stored_objects set deleting_at = date_trunc('milliseconds', now())
      where id in (
        select id from stored_objects
        where idle_since is not null and (deleting_at is null or deleting_at < now() - ${DELETION_LEASE})
        order by idle_since limit ${limit} for update skip locked
      )
      returning id, key, deleting_at as "markedAt"`.execute(this.db);
    return { markedAt: rows[0]?.markedAt ?? new Date(0), objects: rows };
  }

  /** Deletes the rows of deleted files, unless the mark has changed. */
  async forget(ids: readonly bigint[], markedAt: Date): Promise<void> {
    await sql`
      delete from stored_objects
      where id = any(${ids.map(String)}::bigint[]) and deleting_at = ${markedAt}`.execute(this.db);
  }
}
