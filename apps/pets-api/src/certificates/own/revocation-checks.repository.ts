import { Inject, Injectable } from '@nestjs/common';
import { domainJobs, type RevocationAttempt } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** A due check under a lease, with everything that its job contains. */
export interface ClaimedCheck extends RevocationAttempt {
  readonly organizationId: string;
  /** Certificate of the CA that signs the list; null if it is not known. */
  readonly issuerPem: string | null;
  readonly serialNumber: string;
  readonly crlUrls: readonly string[];
  readonly leaseUntil: Date;
}

/** Lists of one organization that are read at the same time: their servers may be slow on purpose. */
const MAX_RUNNING = 2;

const { leaseMs } = domainJobs['check-revocation-list'];

/** The schedule of the checks of uploaded certificates: the row is schedule entry and outbox. */
@Injectable()
export class RevocationChecksRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Leases due checks, each with a new attempt number. Without a result, one is due again when its lease expires. Of each
   * organization as many as it may have beside those that run: one jump in the index for each organization, however many of
   * its rows are due. The organization that has waited for the longest is first.
   */
  async claimDue(limit: number): Promise<ClaimedCheck[]> {
    const { rows } = await sql<ClaimedCheck>`
      with recursive organization as (
        (select organization_id as id from certificates where ${isScheduled} order by organization_id limit 1)
        union all
        select next.id from organization o cross join lateral (
          select organization_id as id from certificates where ${isScheduled} and organization_id > o.id
          order by organization_id limit 1
        ) next
      ), free as (
        select o.id, ${MAX_RUNNING} - (
          select count(*) from certificates r where r.organization_id = o.id and r.check_leased_until > now()
        ) as slots from organization o
      ), due as (
        select c.id from free cross join lateral (
          select id, check_due_at from certificates
          where ${isScheduled} and organization_id = free.id and check_due_at <= now()
          order by check_due_at limit greatest(free.slots, 0) for update skip locked
        ) c order by c.check_due_at limit ${limit}
      )
      update certificates o
      set check_attempt = o.check_attempt + 1, check_due_at = l.until, check_leased_until = l.until
      from due, (select date_trunc('milliseconds', now()) + make_interval(secs => ${leaseMs / 1_000}::float8) as until) l
      where o.id = due.id
      returning o.id as "certificateId", o.domain_id as "domainId", o.organization_id as "organizationId",
        o.check_attempt as attempt, o.crl_issuer_pem as "issuerPem", o.serial_number as "serialNumber",
        o.crl_urls as "crlUrls", o.check_due_at as "leaseUntil"`.execute(this.db);
    return rows;
  }

  /** Makes checks that could not be dispatched due again soon. */
  async release(claims: readonly RevocationAttempt[], afterSeconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update certificates o set check_due_at = now() + make_interval(secs => ${afterSeconds}),
        check_leased_until = null
      from unnest(
        ${claims.map(({ certificateId }) => certificateId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]
      ) as c (id, attempt)
      where o.id = c.id and o.check_attempt = c.attempt and o.check_due_at is not null`.execute(this.db);
  }
}

const isScheduled = sql`state in ('checking', 'active') and check_due_at is not null`;
