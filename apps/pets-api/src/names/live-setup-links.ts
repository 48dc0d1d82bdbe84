import { sql, type RawBuilder, type SqlBool } from 'kysely';

/**
 * Condition on `setup_links l`: it has not expired, and the domain is where it was when the link was made. A domain that is
 * removed or lost is a removed row, also when its name is added again.
 */
export function isLiveSetupLink(now: Date): RawBuilder<SqlBool> {
  return sql<SqlBool>`(l.expires_at > ${now} and exists (
    select from domains d where d.id = l.domain_id and d.project_id = l.project_id and d.state <> 'removed'
  ))`;
}
