import { DependencyUnavailable } from '@pets/platform';
import pg from 'pg';

/** SQLSTATEs of a server or a pooler that is stopping, starting or full, or whose connection broke. */
const unavailableStates: ReadonlySet<string | undefined> = new Set([
  '08003', // connection_does_not_exist
  '08006', // connection_failure
  '08P01', // protocol_violation: PgBouncer reports each failure of its own so
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
]);

/**
 * What to throw for an error of pg: `DependencyUnavailable` where PostgreSQL gave no answer. pg throws answers of the
 * server as `DatabaseError` and broken connections as a plain `Error`; errors of other classes are bugs.
 */
export function asUnavailable(error: unknown): unknown {
  const isUnavailable =
    error instanceof pg.DatabaseError
      ? unavailableStates.has(error.code)
      : !(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError);
  return isUnavailable ? new DependencyUnavailable('PostgreSQL', error) : error;
}
