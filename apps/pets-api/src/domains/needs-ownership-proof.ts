import { sql } from 'kysely';

/**
 * Whether the name of a domain `d` needs the TXT proof: another organization has had it verified, or it is an apex that
 * another organization has asked for. Flattened answers carry no token, so at an apex anybody's would do.
 */
export const needsOwnershipProof = sql`exists (
  select from domain_claims o where o.name = d.name and o.organization_id <> d.organization_id
    and (o.verified_at is not null or d.name = d.apex_name))`;
