import { sql } from 'kysely';
import { findFirst, type RetentionRule } from './retention-rule.js';

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
