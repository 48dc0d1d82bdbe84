import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** After this time a file that is being deleted may be written again: whoever was deleting it has given up long before. */
export const DELETION_LEASE = sql`interval '2 minutes'`;

/** Within it a file that was marked is deleted, or left to the next sweep. Much shorter than the lease. */
export const DELETION_LIMIT_MS = 30_000;

export interface MarkedObjects {
  readonly markedAt: Date;
  readonly objects: readonly { readonly id: bigint; readonly key: string }[];
}

/** Files that no organization has. They are marked, deleted from the storage, and then forgotten, in this order. */
@Injectable()
export class StoredObjectsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Those idle for longest; also those that a process which died had marked. From here on no upload counts on them. */
  async markIdle(limit: number): Promise<MarkedObjects> {
    // JavaScript knows milliseconds.
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

  /** Forgets files that were deleted, unless the mark is another one by now. */
  async forget(ids: readonly bigint[], markedAt: Date): Promise<void> {
    await sql`
      delete from stored_objects
      where id = any(${ids.map(String)}::bigint[]) and deleting_at = ${markedAt}`.execute(this.db);
  }
}
