import { Inject, Injectable } from '@nestjs/common';
import { domainJobs, type RevocationAttempt } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** A due check under a lease, with everything that its job contains. */
export interface ClaimedCheck extends RevocationAttempt {
  /** Of the CA that signs the list; null if it is not known. */
  readonly issuerPem: string | null;
  readonly serialNumber: string;
  readonly crlUrls: readonly string[];
  readonly leaseUntil: Date;
}

const { leaseMs } = domainJobs['check-revocation-list'];

/** The schedule of the checks of uploaded certificates: the row is schedule entry and outbox. */
@Injectable()
export class RevocationChecksRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Leases due checks, each with a new attempt number. Without a result, one is due again when its lease expires. */
  async claimDue(limit: number): Promise<ClaimedCheck[]> {
    const { rows } = await sql<ClaimedCheck>`
      with due as (
        select id from own_certificates where state in ('checking', 'active') and check_due_at <= now()
        order by check_due_at limit ${limit} for update skip locked
      )
      update own_certificates o set check_attempt = o.check_attempt + 1, check_due_at = l.until
      from due, (select date_trunc('milliseconds', now()) + make_interval(secs => ${leaseMs / 1_000}::float8) as until) l
      where o.id = due.id
      returning o.id as "certificateId", o.domain_id as "domainId", o.check_attempt as attempt,
        o.crl_issuer_pem as "issuerPem", o.serial_number as "serialNumber", o.crl_urls as "crlUrls",
        o.check_due_at as "leaseUntil"`.execute(this.db);
    return rows;
  }

  /** Makes checks that could not be dispatched due again soon. */
  async release(claims: readonly RevocationAttempt[], afterSeconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update own_certificates o set check_due_at = now() + make_interval(secs => ${afterSeconds})
      from unnest(
        ${claims.map(({ certificateId }) => certificateId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]
      ) as c (id, attempt)
      where o.id = c.id and o.check_attempt = c.attempt and o.check_due_at is not null`.execute(this.db);
  }
}
