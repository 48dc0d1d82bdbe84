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
const hasClaimsAround = sql`case when d.name like '*.%' then ${hasVerified(sql`substr(d.name, 3)`)}
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

/**
 * A claim `o` on a name is active permanently once the name was verified, since its records may still be in the zone. Before
 * that it is active while the organization has the name in a project.
 */
const isActiveClaim = sql`(o.verified_at is not null or exists (
  select from domains x where x.organization_id = o.organization_id and x.name = o.name and x.state <> 'removed'))`;

/**
 * Whether another organization has a claim on the name of a domain `d` that only the TXT record can decide: it has had the
 * name verified, or the name is an apex, where flattened answers do not identify the owner of the record. A wildcard and the
 * names that it covers concern each other: the record of the one answers for the others, so pointing here proves nothing.
 */
export const hasOtherClaims = sql`(exists (
  select from domain_claims o where o.name = d.name and o.organization_id <> d.organization_id
    and (o.verified_at is not null or (d.name = d.apex_name and ${isActiveClaim})))
  or ${hasClaimsAround})`;

/**
 * For a domain `d` that is an apex: the token in the target of its `www.` name, where the same organization has that name
 * verified or live and no other organization has a claim on either name; otherwise null. The row alone proves nothing, since
 * a live domain is served after its records are gone: the record must be in DNS as well. The record alone would let an
 * organization use a name that it gave up or never got.
 */
export const wwwTargetToken = sql`case when d.name = d.apex_name then (
  select wc.target_token from domains w
  join domain_claims wc on wc.organization_id = w.organization_id and wc.name = w.name
  where w.organization_id = d.organization_id and w.name = 'www.' || d.apex_name and w.state in ('verified', 'live')
    and not exists (
      select from domain_claims o
      where o.name in (d.name, w.name) and o.organization_id <> d.organization_id and ${isActiveClaim}
    )
) end`;
