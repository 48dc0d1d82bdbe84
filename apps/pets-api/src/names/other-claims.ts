import { sql } from 'kysely';
import { hasClaimsAround } from './covered-names.js';

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
