import type { Database, Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';

/** Bounds of the rows that the next batch of a rule deletes. */
export interface Batch {
  /** Older rows are deleted. */
  readonly before: Date;
  /** Position at which the batch before ended; null for the first one of a pass. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ClearedBatch {
  readonly deleted: number;
  /** Position at which the next batch begins; null when the pass is complete. */
  readonly next: string | null;
}

/** The life of the rows of a table. */
export interface RetentionRule {
  /** Label of its metrics, and name of its task: the table. Uploaded certificates have a rule beside that of ordered ones. */
  readonly table: string;
  readonly keptMs: number;
  /** How long after one pass the next one begins. */
  readonly everyMs: number;
  /** Rows a transaction: each takes some 10 ms, so that no vacuum, backup or request waits for it. */
  readonly batch: number;
  /** Deletes the oldest rows, found by an index, and skips locked ones. A test checks each plan. */
  readonly clear: (tx: Tx, batch: Batch) => Promise<ClearedBatch>;
  /** The time of the oldest row, by which it will be deleted; null when there is none. */
  readonly findOldest: (tx: Tx) => Promise<Date | null>;
}

/**
 * Deletes rows by one of their columns, the oldest first. A batch begins where the one before ended: until a vacuum, an index
 * still has the deleted rows, which every batch would read again while an old snapshot is open.
 */
export function deleteOldest(table: string, column: string): Pick<RetentionRule, 'clear' | 'findOldest'> {
  const [from, time] = [sql.table(table), sql.ref(column)];
  return {
    clear: async (tx, { before, after, limit }) => {
      const { rows } = await sql<{ deleted: number; read: number; last: string | null }>`
        with page as materialized (
          select ctid, ${time} as at from ${from}
          where ${time} < ${before} ${after === null ? sql`` : sql`and ${time} >= ${after}`}
          order by ${time} limit ${limit} for update skip locked
        ), deleted as (
          delete from ${from} where ctid = any(array(select ctid from page)) returning 1
        )
        select (select count(*) from deleted)::integer as deleted, count(*)::integer as read, max(at)::text as last
        from page`.execute(tx);
      const { deleted, read, last } = rows[0] ?? { deleted: 0, read: 0, last: null };
      return { deleted, next: read < limit ? null : last };
    },
    findOldest: (tx) =>
      findFirst(tx, sql`select ${time} as at from ${from} where ${time} is not null order by ${time}`),
  };
}

/** Deletes the rows of a query of `ctid`. Without a position, so only for tables of which little is deleted. */
export async function deleteRows(
  tx: Tx,
  table: string,
  query: RawBuilder<unknown>,
  limit: number,
): Promise<ClearedBatch> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(${query} limit ${limit} for update skip locked))`.execute(
    tx,
  );
  return withoutPosition(Number(numAffectedRows), limit);
}

/** A batch that begins with the oldest row, as the next one will. */
export function withoutPosition(deleted: number, limit: number): ClearedBatch {
  return { deleted, next: deleted < limit ? null : '' };
}

/** The `at` of the first row of a query. */
export async function findFirst(tx: Tx, query: RawBuilder<unknown>): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`${query} limit 1`.execute(tx);
  return rows[0]?.at ?? null;
}

/** A table with rows that outlive their time while something needs them. */
interface PagedTable {
  readonly table: string;
  /** The time of a row, as in the index that begins with it and ends with the id. */
  readonly time: RawBuilder<unknown>;
  /** Condition of that index. */
  readonly isOld: RawBuilder<unknown>;
  /** Whether nothing needs a row `r` any more. */
  readonly isFree: RawBuilder<unknown>;
  /** Statements that delete the rows with the ids in `free`, as common table expressions; the last one is `deleted`. */
  readonly deletions: RawBuilder<unknown>;
}

/**
 * Deletes the old rows that nothing needs. A pass reads every old row once, page by page, and leaves the others for the next
 * pass: without a position, those would fill every page.
 */
export async function clearPage(
  tx: Tx,
  { table, time, isOld, isFree, deletions }: PagedTable,
  { before, after, limit }: Batch,
): Promise<ClearedBatch> {
  const [afterTime = null, afterId = null] = after?.split('|') ?? [];
  const isAfter = after === null ? sql`true` : sql`(${time}, id) > (${afterTime}::timestamptz, ${afterId}::uuid)`;
  const { rows } = await sql<{ deleted: number; read: number; last: string | null }>`
    with page as materialized (
      select id, ${time} as at from ${sql.table(table)}
      where ${isOld} and ${time} < ${before} and ${isAfter} order by ${time}, id limit ${limit}
    ), free as materialized (
      select r.* from ${sql.table(table)} r where r.id = any(array(select id from page)) and ${isFree}
      for update skip locked
    ), ${deletions}
    select (select count(*) from deleted)::integer as deleted, count(*)::integer as read,
      (select at || '|' || id from page order by at desc, id desc limit 1) as last
    from page`.execute(tx);
  const { deleted, read, last } = rows[0] ?? { deleted: 0, read: 0, last: null };
  return { deleted, next: read < limit ? null : last };
}

const endedAt = sql`coalesce(not_after, created_at)`;
/** Uploads are deleted by their end. */
const isOrdered = sql`origin = 'ordered'`;

/**
 * Condition on a row that nothing needs: its key and its object in the storage were deleted (`certificates.sweeper.ts`,
 * `certificate-objects.service.ts`), it has no revocation, and it has a successor: of a certificate a later one of the
 * same domain and CA, which then decides whether an order is a renewal; of another attempt any later one. Limits of CAs
 * count neither, since `RETENTION_CERTIFICATES` is longer than each window.
 */
const isFree = sql`
  not r.has_key and not r.has_object
  and not exists (select from certificate_revocations v where v.certificate_id = r.id)
  and case when r.state = 'issued' then exists (
    select from certificates n where n.domain_id = r.domain_id and n.state = 'issued' and n.issued_at > r.issued_at
      and n.directory_url = r.directory_url
  ) else exists (
    select from certificates n where n.domain_id = r.domain_id and (n.generation, n.attempt) > (r.generation, r.attempt)
  ) end`;

export const oldCertificates: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: (tx, batch) =>
    clearPage(
      tx,
      {
        ...{ table: 'certificates', time: endedAt, isOld: isOrdered, isFree },
        deletions: sql`deleted as (delete from certificates where id = any(array(select id from free)) returning 1)`,
      },
      batch,
    ),
  findOldest: (tx) =>
    findFirst(tx, sql`select ${endedAt} as at from certificates where ${isOrdered} order by ${endedAt}, id`),
};

/**
 * Deletes pieces of the oldest imports, and imports of which none are left: an import has up to a thousand, of several hundred
 * kilobytes each. A batch counts pieces; only imports count as deleted.
 */
export const oldImports: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: async (tx, { before, limit }) => {
    const { rows } = await sql<{ imports: number; pieces: number }>`
      with old as materialized (
        select id, ctid from domain_imports where ended_at < ${before}
        order by ended_at limit ${limit} for update skip locked
      ), pieces as materialized (
        select p.ctid from old cross join lateral (
          select ctid from domain_import_pieces where import_id = old.id limit ${limit + 1}
        ) p limit ${limit + 1}
      ), deleted_pieces as (
        delete from domain_import_pieces where ctid = any(array(select ctid from pieces)) returning 1
      ), deleted as (
        -- With one more than a batch, these imports may have others.
        delete from domain_imports
        where ctid = any(array(select ctid from old where (select count(*) from pieces) <= ${limit})) returning 1
      )
      select (select count(*) from deleted)::integer as imports, (select count(*) from deleted_pieces)::integer as pieces`.execute(
      tx,
    );
    const { imports, pieces } = rows[0] ?? { imports: 0, pieces: 0 };
    return { ...withoutPosition(Math.max(imports, pieces), limit), deleted: imports };
  },
  findOldest: (tx) =>
    findFirst(tx, sql`select ended_at as at from domain_imports where ended_at is not null order by ended_at`),
};

/** Condition of the index `people_by_end`. */
const isKept = sql`removed_at is not null and (removed_by_claim or name is not null or email is not null)`;

/**
 * Deletes people whose membership a claim ended. Whom an owner removed keeps issuer and subject, without name and address:
 * otherwise a claim would add the person again.
 */
export const removedPeople: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: async (tx, { before, after, limit }) => {
    const { rows } = await sql<{ cleared: number; read: number; last: string | null }>`
      with page as materialized (
        select ctid, removed_at as at, removed_by_claim from people
        where ${isKept} and removed_at < ${before} ${after === null ? sql`` : sql`and removed_at >= ${after}`}
        order by removed_at limit ${limit} for update skip locked
      ), deleted as (
        delete from people where ctid = any(array(select ctid from page where removed_by_claim)) returning 1
      ), anonymized as (
        update people set name = null, email = null
        where ctid = any(array(select ctid from page where not removed_by_claim)) returning 1
      )
      select ((select count(*) from deleted) + (select count(*) from anonymized))::integer as cleared,
        count(*)::integer as read, max(at)::text as last
      from page`.execute(tx);
    const { cleared, read, last } = rows[0] ?? { cleared: 0, read: 0, last: null };
    return { deleted: cleared, next: read < limit ? null : last };
  },
  findOldest: (tx) => findFirst(tx, sql`select removed_at as at from people where ${isKept} order by removed_at`),
};

/**
 * The history is in a partition of `project_events` for each quarter, and in `project_events_rest`, which has the lines of a
 * quarter without a partition.
 * Partitions are created two quarters ahead, by the migration, at the start of each process and every hour; only if none of
 * these succeeded for so long, lines go to the rest. Old lines are deleted, old partitions dropped.
 */
/** @throws Error when a lock is not free: the history is in use by a transaction of another kind, such as a backup */
export async function createEventPartitions(db: Database | Tx): Promise<void> {
  await sql`select create_event_partitions(now() + interval '6 months')`.execute(db);
}

const rest = deleteOldest('project_events_rest', 'at');

/** Drops one partition at a time: everybody else waits meanwhile. */
export const oldEvents: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: async (tx, batch) => {
    const cleared = await rest.clear(tx, batch);
    if (cleared.next !== null) return cleared;
    const { rows } = await sql<{ isDropped: boolean }>`
      select drop_event_partition(${batch.before}) as "isDropped"`.execute(tx);
    if (rows[0]?.isDropped === true) return { ...cleared, next: '-infinity' };
    await createEventPartitions(tx);
    return cleared;
  },
  /** Finds the oldest row; for the oldest partition, its beginning. */
  findOldest: (tx) =>
    findFirst(
      tx,
      sql`select least(
          (select at from project_events_rest order by at limit 1),
          (select min(to_date(right(c.relname, 7), 'YYYY_MM'))::timestamptz
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'project_events'::regclass and c.relname ~ '^project_events_\\d{4}_\\d\\d$')
        ) as at`,
    ),
};
