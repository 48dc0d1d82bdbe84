import { sql, type RawBuilder } from 'kysely';

/** The name without its first label. */
export function parentOf(name: RawBuilder<unknown>): RawBuilder<string> {
  return sql`substr(${name}, strpos(${name}, '.') + 1)`;
}

/** The wildcard that covers a name; that of a wildcard is not a name that anybody has. */
export function wildcardOver(name: RawBuilder<unknown>): RawBuilder<string> {
  return sql`'*.' || ${parentOf(name)}`;
}

/** The base of a wildcard, or the wildcard of a base. */
export function counterpartOf(name: RawBuilder<unknown>): RawBuilder<string> {
  return sql`case when ${name} like '*.%' then substr(${name}, 3) else '*.' || ${name} end`;
}

/**
 * Whether another organization has had a name verified which concerns a domain `d` although it is not its own: for a wildcard
 * its base or a name that it covers; for any other name the wildcard that covers it.
 */
export const hasClaimsAround = sql`case when d.name like '*.%' then ${hasVerified(sql`substr(d.name, 3)`)}
  or exists (${coveredClaims(sql`<`)}) or exists (${coveredClaims(sql`>`)})
  else ${hasVerified(wildcardOver(sql`d.name`))} end`;

function hasVerified(name: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (select from domain_claims o
    where o.name = ${name} and o.organization_id <> d.organization_id and o.verified_at is not null)`;
}

/** Two ranges of the index, so that the names of the organization itself are skipped, of which there may be many. */
function coveredClaims(comparison: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select from domain_claims o where ${parentOf(sql`o.name`)} = substr(d.name, 3)
    and o.organization_id ${comparison} d.organization_id and o.verified_at is not null`;
}

/**
 * For a domain `d`: the token in the target of the wildcard that covers it, where the same organization has that wildcard
 * verified or live and has not excluded the name; otherwise null.
 */
export const wildcardTargetToken = sql`(
  select wc.target_token from domains w
  join domain_claims wc on wc.organization_id = w.organization_id and wc.name = w.name
  where w.organization_id = d.organization_id and w.name = ${wildcardOver(sql`d.name`)} and d.name not like '*.%'
    and w.state in ('verified', 'live')
    and not exists (select from wildcard_exclusions e where e.domain_id = w.id and e.name = d.name)
)`;

/** For a wildcard `d`: the names that it covers and that are not served, in order; null without one. */
export const excludedNames = sql`case when d.name like '*.%' then (
  select array_agg(e.name order by e.name) from wildcard_exclusions e where e.domain_id = d.id
) end`;
