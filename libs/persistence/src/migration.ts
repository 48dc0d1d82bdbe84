import type { Migration } from 'kysely/migration';

/**
 * One step of the database, from one version of the code to the next. Both run on it during a rollout, so a step only adds:
 * what the last version reads and writes stays as it is. See docs/decisions/0030.
 */
export interface SchemaMigration extends Migration {
  /** Takes away or renames what no version that may still run uses any more: says since which version, and why. */
  readonly contracts?: string;
  /** Builds indexes on tables that are in use, with `concurrently`, which PostgreSQL does in no transaction. */
  readonly isConcurrent?: true;
}
