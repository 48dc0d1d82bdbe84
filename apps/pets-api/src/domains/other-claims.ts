import { sql } from 'kysely';

/**
 * A claim `o` on a name counts for good once the name was verified, since records of that time may still be in the zone.
 * Before that it counts as long as the organization has the name in a project, and ends with the removal.
 */
const isStanding = sql`(o.verified_at is not null or exists (
  select from domains x where x.organization_id = o.organization_id and x.name = o.name and x.state <> 'removed'))`;

/**
 * Whether another organization has a claim on the name of a domain `d` that only the TXT record can answer: it has had the
 * name verified, or the name is an apex, where flattened answers do not say whose record it is.
 */
export const hasOtherClaims = sql`exists (
  select from domain_claims o where o.name = d.name and o.organization_id <> d.organization_id
    and (o.verified_at is not null or (d.name = d.apex_name and ${isStanding})))`;

/**
 * Of a domain `d` that is an apex: the token of the target that its `www.` name has to show, where the same organization
 * has that verified or live, and nobody else has a claim on either name; else null. The row alone proves nothing, since a
 * live domain keeps serving after its records have gone: the record has to be seen in DNS as well. The record alone would
 * let an organization use a name that it gave up, or never got.
 */
export const wwwTargetToken = sql`case when d.name = d.apex_name then (
  select wc.target_token from domains w
  join domain_claims wc on wc.organization_id = w.organization_id and wc.name = w.name
  where w.organization_id = d.organization_id and w.name = 'www.' || d.apex_name and w.state in ('verified', 'live')
    and not exists (
      select from domain_claims o
      where o.name in (d.name, w.name) and o.organization_id <> d.organization_id and ${isStanding}
    )
) end`;
