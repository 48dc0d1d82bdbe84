import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';

/**
 * Reads on one connection, to leave the rest of the pool to requests.
 * @param limitMs PostgreSQL cancels a statement that takes longer
 */
export function readLimited<T>(db: Database, limitMs: number, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = ${sql.lit(limitMs)}`.execute(tx);
    return read(tx);
  });
}

/** The row of a statement of aggregates. */
export function single<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('an aggregate without a row');
  return row;
}
