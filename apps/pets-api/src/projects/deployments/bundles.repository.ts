import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql } from 'kysely';
import { LimitsService } from '../../access/limits/limits.service.js';
import { DATABASE } from '../../platform/providers.js';

/** After this time a file that was being deleted may be written again: its sweeper has long timed out. */
const DELETION_LEASE = sql`interval '2 minutes'`;

/** Time limit to delete a marked file before the next sweep takes it. Much shorter than the lease. */
export const DELETION_LIMIT_MS = 30_000;

interface MarkedObjects {
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

/** A file of a bundle. */
export interface WantedObject {
  readonly key: string;
  readonly bytes: number;
}

interface LockedObject {
  readonly id: bigint;
  readonly isBeingDeleted: boolean;
}

/** One of the files is being deleted: retry in a second. */
export class ObjectBeingDeleted extends Error {}

/**
 * The files of each organization. A bundle is registered before its files are written. From then on none of them is deleted,
 * because only these tables decide which files may be deleted. A bundle releases its files after a day without a kept
 * deployment.
 *
 * Locks are taken in one order everywhere: the organization, its bundle, and files by their keys.
 */
@Injectable()
export class BundlesRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly limits: LimitsService,
  ) {}

  /**
   * @param contentHash the name of the index: the same for the same files
   * @returns the bundle's id; the same one for the same files
   * @throws RequestError `storage_limit_reached`
   * @throws ObjectBeingDeleted
   */
  register(organizationId: string, contentHash: string, objects: readonly WantedObject[]): Promise<bigint> {
    return this.db.transaction().execute(async (tx) => {
      const { storageBytes } = await this.limits.lock(tx, organizationId);
      const known = await this.reuse(tx, organizationId, contentHash);
      if (known !== undefined) return known;
      const ids = await this.claimObjects(tx, objects);
      const used = await this.addToOrganization(tx, organizationId, ids);
      if (used > storageBytes)
        throw new RequestError(
          'storage_limit_reached',
          `With this deployment the organization would store ${used} bytes; its limit is ${storageBytes}.`,
        );
      const { rows } = await sql<{ id: bigint }>`
        insert into bundles (organization_id, content_hash, object_ids, idle_since)
        values (${organizationId}, ${contentHash}, ${ids}::bigint[], now()) returning id`.execute(tx);
      return idOf(rows);
    });
  }

  /** Keeps a registered bundle. @throws RequestError `unavailable` when its files were released since */
  async keep(tx: Tx, id: bigint): Promise<void> {
    const { numUpdatedRows } = await tx
      .updateTable('bundles')
      .set({ idle_since: null })
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      throw new RequestError('unavailable', 'The upload took too long: send it again.', { 'retry-after': '1' });
  }

  /** Bytes of an organization in the storage, each file once. */
  async usedBytes(organizationId: string): Promise<number> {
    const row = await this.db
      .selectFrom('organization_storage')
      .select('bytes')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    return Number(row?.bytes ?? 0n);
  }

  /** Detaches collected deployments from their bundles. @returns how many bundles */
  releaseCollected(limit: number): Promise<number> {
    return inTransaction(this.db, async (tx) => {
      const { rows } = await sql<{ id: bigint }>`
        select id from bundles where id in (
          select distinct bundle_id from (
            select bundle_id from deployments where state = 'collected' and bundle_id is not null
            order by collected_at limit ${limit}
          ) as oldest
        ) order by id for update skip locked`.execute(tx);
      const ids = rows.map(({ id }) => String(id));
      await sql`
        update deployments set bundle_id = null
        where bundle_id = any(${ids}::bigint[]) and state = 'collected'`.execute(tx);
      // A separate statement sees deployments that were created before the lock was acquired, and those collected since the
      // statement above began: no deployment may name an idle bundle. The next run detaches them.
      await sql`
        update bundles set idle_since = now()
        where id = any(${ids}::bigint[]) and idle_since is null
          and not exists (select from deployments d where d.bundle_id = bundles.id)`.execute(tx);
      return ids.length;
    });
  }

  /** Bundles without a kept deployment since a time. */
  async listIdle(before: Date, limit: number): Promise<{ id: bigint; organizationId: string }[]> {
    return this.db
      .selectFrom('bundles')
      .select(['id', 'organization_id as organizationId'])
      .where('idle_since', '<', before)
      .orderBy('idle_since')
      .limit(limit)
      .execute();
  }

  /** Releases the files of an idle bundle; those that no other bundle has become idle. */
  async deleteIdle(id: bigint, organizationId: string, before: Date): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      await this.limits.lock(tx, organizationId);
      const { rows: deleted } = await sql<{ ids: string[] }>`
        delete from bundles where id = ${id} and idle_since < ${before}
        returning object_ids::text[] as ids`.execute(tx);
      const ids = deleted[0]?.ids;
      if (ids === undefined) return; // in use again, or deleted by another replica
      await this.removeFromOrganization(tx, organizationId, ids);
    });
  }

  /** A bundle of the same files: another upload keeps it for a day. */
  private async reuse(tx: Tx, organizationId: string, contentHash: string): Promise<bigint | undefined> {
    const { rows } = await sql<{ id: bigint }>`
      update bundles set idle_since = case when idle_since is null then null else now() end
      where organization_id = ${organizationId} and content_hash = ${contentHash} returning id`.execute(tx);
    return rows[0]?.id;
  }

  /** Inserts missing rows of files and locks all of them against deletion until this transaction has assigned them. */
  private async claimObjects(tx: Tx, objects: readonly WantedObject[]): Promise<string[]> {
    const keys = objects.map(({ key }) => key);
    const sizes = objects.map(({ bytes }) => String(bytes));
    await sql`
      insert into stored_objects (key, bytes)
      select key, bytes from unnest(${keys}::text[], ${sizes}::bigint[]) as wanted (key, bytes) order by key
      on conflict (key) do nothing`.execute(tx);
    const { rows } = await sql<LockedObject>`
      select id, coalesce(deleting_at > now() - ${DELETION_LEASE}, false) as "isBeingDeleted"
      from stored_objects where key = any(${keys}::text[]) order by key for no key update`.execute(tx);
    if (rows.length < keys.length || rows.some(({ isBeingDeleted }) => isBeingDeleted)) throw new ObjectBeingDeleted();
    const ids = rows.map(({ id }) => String(id));
    await sql`
      update stored_objects set idle_since = null, deleting_at = null
      where id = any(${ids}::bigint[]) and (idle_since is not null or deleting_at is not null)`.execute(tx);
    return ids;
  }

  /** @returns the bytes that the organization has now */
  private async addToOrganization(tx: Tx, organizationId: string, objectIds: readonly string[]): Promise<number> {
    const { rows } = await sql<{ bytes: bigint }>`
      with held as (
        insert into organization_objects (organization_id, object_id, bundles)
        select ${organizationId}, object_id, 1 from unnest(${objectIds}::bigint[]) as new (object_id)
        on conflict (organization_id, object_id) do update set bundles = organization_objects.bundles + 1
        returning object_id, bundles
      ), added as (
        select coalesce(sum(o.bytes), 0) as bytes
        from held h join stored_objects o on o.id = h.object_id where h.bundles = 1
      )
      insert into organization_storage (organization_id, bytes) select ${organizationId}, bytes from added
      on conflict (organization_id) do update set bytes = organization_storage.bytes + excluded.bytes
      returning bytes`.execute(tx);
    return Number(rows[0]?.bytes);
  }

  private async removeFromOrganization(tx: Tx, organizationId: string, objectIds: readonly string[]): Promise<void> {
    await sql`
      select from stored_objects where id = any(${objectIds}::bigint[]) order by key for no key update`.execute(tx);
    const { rows } = await sql<{ id: string }>`
      delete from organization_objects
      where organization_id = ${organizationId} and object_id = any(${objectIds}::bigint[]) and bundles = 1
      returning object_id::text as id`.execute(tx);
    const removed = rows.map(({ id }) => id);
    await sql`
      update organization_objects set bundles = bundles - 1
      where organization_id = ${organizationId} and object_id = any(${objectIds}::bigint[])`.execute(tx);
    await sql`
      update organization_storage set bytes = bytes - (
        select coalesce(sum(o.bytes), 0) from stored_objects o where o.id = any(${removed}::bigint[])
      ) where organization_id = ${organizationId}`.execute(tx);
    // A separate statement sees rows that other organizations added before the locks were acquired.
    await sql`
      update stored_objects set idle_since = now()
      where id = any(${removed}::bigint[])
        and not exists (select from organization_objects o where o.object_id = stored_objects.id)`.execute(tx);
  }
}

function idOf(rows: readonly { readonly id: bigint }[]): bigint {
  const [row] = rows;
  if (row === undefined) throw new Error('an insertion returned no row');
  return row.id;
}
