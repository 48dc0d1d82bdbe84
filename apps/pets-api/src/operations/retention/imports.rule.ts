import { sql } from 'kysely';
import { findFirst, withoutPosition, type RetentionRule } from './retention-rule.js';

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
