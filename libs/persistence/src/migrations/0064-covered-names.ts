import { sql, type Kysely } from 'kysely';

/** Verified claims on the names that a wildcard covers, and the wildcards of a project. Frozen in time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists domain_claims_covered`,
  `create index concurrently domain_claims_covered
    on domain_claims (substr(name, strpos(name, '.') + 1), organization_id) where verified_at is not null`,
  `drop index concurrently if exists domains_wildcards`,
  `create index concurrently domains_wildcards on domains (project_id)
    where name like '*.%' and state <> 'removed'`,
];
