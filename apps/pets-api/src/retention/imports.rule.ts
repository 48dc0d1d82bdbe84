import { sql } from 'kysely';
import { deleteRows, findFirst, type RetentionRule } from './retention-rule.js';

/** Old imports that a batch reads, oldest first. */
const IMPORTS_READ = 100;

/**
 * Deletes the pieces of old imports, and an import when it has none left: an import has up to a thousand, of several hundred
 * kilobytes each.
 */
export const oldImports: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: async (tx, { before, limit }) => {
    const old = sql`select id from domain_imports where ended_at < ${before} order by ended_at limit ${IMPORTS_READ}`;
    const pieces = await deleteRows(
      tx,
      'domain_import_pieces',
      sql`select p.ctid from (${old}) o join domain_import_pieces p on p.import_id = o.id`,
      limit,
      sql`of p`,
    );
    if (pieces.next !== null) return pieces;
    const { numAffectedRows = 0n } = await sql`
      delete from domain_imports i where i.id in (${old})
        and not exists (select from domain_import_pieces p where p.import_id = i.id)`.execute(tx);
    return {
      deleted: pieces.deleted + Number(numAffectedRows),
      next: numAffectedRows < BigInt(IMPORTS_READ) ? null : '',
    };
  },
  findOldest: (tx) =>
    findFirst(tx, sql`select ended_at as at from domain_imports where ended_at is not null order by ended_at`),
};
