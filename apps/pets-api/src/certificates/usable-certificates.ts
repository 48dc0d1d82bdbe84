import { sql } from 'kysely';

/**
 * Of a certificate `c` of a domain `d`: whether it was not revoked before the domain was verified, as that of a prepared name
 * is when another organization proves that it owns the name. A revoked certificate of a served name is presented until its
 * replacement is there.
 */
export const isUsable = sql`not exists (
  select from certificate_revocations r
  where r.certificate_id = c.id and (d.verified_at is null or r.requested_at < d.verified_at))`;
