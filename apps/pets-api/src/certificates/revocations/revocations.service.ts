/**
 * Revokes certificates that nobody may use any more at their CA (RFC 8555 §7.6), above all those of the former organization
 * of a name. A request is a row, written in the transaction that makes it necessary. `revocation-outcomes.service.ts` then
 * creates jobs for due rows, and applies the results. Nothing waits for a revocation: the edge feed stops the traffic of a
 * former owner.
 */
import { Inject, Injectable } from '@nestjs/common';
import { domainJobs, type DomainState, type RevocationAttempt, type RevocationReason } from '@pets/contracts';
import { notify, type Database, type Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** A due revocation under a lease, with everything that its job contains. */
export interface ClaimedRevocation extends RevocationAttempt {
  readonly directoryUrl: string;
  /** Thumbprint of the account key that ordered the certificate. */
  readonly accountThumbprint: string;
  readonly chainPem: string;
  readonly reason: RevocationReason;
  readonly leaseUntil: Date;
  /** Whether the certificate has expired, so that there is nothing left to revoke. */
  readonly isExpired: boolean;
}

/** A revocation that has not ended, and the domain that its certificate belonged to. */
export interface PendingRevocation {
  readonly domainId: string;
  readonly projectId: string;
  readonly domainState: DomainState;
  readonly chainPem: string;
  readonly reason: RevocationReason;
  readonly attempt: number;
  readonly failures: number;
  readonly expiresAt: Date;
}

const { leaseMs } = domainJobs['revoke-certificate'];

/** Certificates `c` of which the valid ones get a revocation. */
interface ToRevoke {
  readonly from: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  /** Change of a revocation that there is; none by default. */
  readonly onConflict?: RawBuilder<unknown>;
}

/** Revocations of certificates: schedule, attempts and outcome. */
@Injectable()
export class RevocationsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Adds revocations of those of some certificates that are valid. A pending revocation changes only to the reason
   * `key_compromise`, which certificate authorities treat differently.
   * @returns the ids of the certificates that will be revoked because of this
   */
  async addRevocations(
    tx: Tx,
    certificateIds: readonly string[],
    reason: RevocationReason,
    now: Date,
  ): Promise<string[]> {
    return this.insert(tx, reason, now, {
      from: sql`certificates c`,
      where: sql`c.id = any(${certificateIds})`,
      onConflict: sql`
        do update set reason = excluded.reason, due_at = excluded.due_at
        where certificate_revocations.state = 'pending' and certificate_revocations.reason <> excluded.reason
          and excluded.reason = 'key_compromise'`,
    });
  }

  /** Adds the valid certificates that other organizations have for some names. */
  async addOfOthers(
    tx: Tx,
    names: readonly { readonly name: string; readonly organizationId: string }[],
    reason: RevocationReason,
    now: Date,
  ): Promise<string[]> {
    return this.insert(tx, reason, now, {
      from: sql`unnest(
          ${names.map(({ name }) => name)}::text[], ${names.map(({ organizationId }) => organizationId)}::uuid[]
        ) as n (name, organization_id)
        join certificates c on c.name = n.name`,
      where: sql`c.organization_id <> n.organization_id`,
    });
  }

  /** Adds the valid certificates of a removed domain whose name another organization has proven to own since it was verified. */
  async addOfLost(tx: Tx, domainId: string, reason: RevocationReason, now: Date): Promise<string[]> {
    return this.insert(tx, reason, now, {
      from: sql`certificates c join domains d on d.id = c.domain_id and d.state = 'removed'`,
      where: sql`c.domain_id = ${domainId} and exists (
          select from domains n where n.name = d.name and n.organization_id <> d.organization_id
            and n.verified_at > coalesce(d.verified_at, d.created_at)
        )`,
    });
  }

  /** Leases due revocations, each with a new attempt number. Without a result, one is due again when its lease expires. */
  async claimDue(limit: number): Promise<ClaimedRevocation[]> {
    const { rows } = await sql<ClaimedRevocation>`
      with due as (
        select certificate_id from certificate_revocations where state = 'pending' and due_at <= now()
        order by due_at limit ${limit} for update skip locked
      )
      update certificate_revocations r set attempt = r.attempt + 1, due_at = l.until
      from due, (select now() + make_interval(secs => ${leaseMs / 1_000}::float8) as until) l
      where r.certificate_id = due.certificate_id
      returning r.certificate_id as "certificateId", r.domain_id as "domainId", r.attempt, r.directory_url as "directoryUrl",
        r.account_thumbprint as "accountThumbprint", r.chain_pem as "chainPem", r.reason, r.due_at as "leaseUntil", r.expires_at <= now() as "isExpired"`.execute(
      this.db,
    );
    return rows;
  }

  /** Makes revocations that could not be dispatched due again soon. */
  async release(claims: readonly RevocationAttempt[], afterSeconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update certificate_revocations r set due_at = now() + make_interval(secs => ${afterSeconds})
      from unnest(
        ${claims.map(({ certificateId }) => certificateId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]
      ) as c (certificate_id, attempt)
      where r.certificate_id = c.certificate_id and r.attempt = c.attempt and r.state = 'pending'`.execute(this.db);
  }

  /** The project in whose history the end of a revocation is written; null when there is no such revocation. */
  async findProject(certificateId: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('certificate_revocations as r')
      .innerJoin('domains as d', 'd.id', 'r.domain_id')
      .select('d.project_id as projectId')
      .where('r.certificate_id', '=', certificateId)
      .executeTakeFirst();
    return row?.projectId ?? null;
  }

  /** Null when it has ended. */
  async lockPending(tx: Tx, certificateId: string): Promise<PendingRevocation | null> {
    const { rows } = await sql<PendingRevocation>`
      select r.domain_id as "domainId", d.project_id as "projectId", d.state as "domainState", r.chain_pem as "chainPem",
        r.reason, r.attempt, r.failures, r.expires_at as "expiresAt"
      from certificate_revocations r join domains d on d.id = r.domain_id
      where r.certificate_id = ${certificateId} and r.state = 'pending'
      for update of r`.execute(tx);
    return rows[0] ?? null;
  }

  /** Ends a revocation, and deletes the chain, which nobody needs any more. */
  async end(tx: Tx, certificateId: string, state: 'revoked' | 'expired', now: Date): Promise<void> {
    await tx
      .updateTable('certificate_revocations')
      .set({ state, ended_at: now, chain_pem: '' })
      .where('certificate_id', '=', certificateId)
      .execute();
  }

  async retry(
    tx: Tx,
    certificateId: string,
    { dueAt, reason, problem }: { readonly dueAt: Date; readonly reason: RevocationReason; readonly problem: string },
    now: Date,
  ): Promise<void> {
    await tx
      .updateTable('certificate_revocations')
      .set(({ eb }) => ({ due_at: dueAt, reason, problem, failures: eb('failures', '+', 1) }))
      .where('certificate_id', '=', certificateId)
      .execute();
    if (dueAt <= now) await notify(tx, 'certificate_revocations');
  }

  private async insert(
    tx: Tx,
    reason: RevocationReason,
    now: Date,
    { from, where, onConflict = sql`do nothing` }: ToRevoke,
  ): Promise<string[]> {
    const inserted = await sql<{ id: string }>`
      insert into certificate_revocations
        (certificate_id, domain_id, directory_url, account_thumbprint, chain_pem, reason, requested_at, expires_at, due_at)
      select c.id, c.domain_id, c.directory_url, c.account_thumbprint, c.chain_pem, ${reason}, ${now}, c.not_after, ${now}
      from ${from} where ${where} and c.state = 'issued' and c.not_after > ${now}
      on conflict (certificate_id) ${onConflict}
      returning certificate_id as id`.execute(tx);
    if (inserted.rows.length > 0) await notify(tx, 'certificate_revocations');
    return inserted.rows.map(({ id }) => id);
  }
}

/** RFC 5280 §5.3.1; the CA/Browser Forum requires it when a subscriber no longer has the name. */
const NAME_LOST = 'cessation_of_operation' satisfies RevocationReason;

@Injectable()
export class RevocationsService {
  constructor(private readonly revocations: RevocationsRepository) {}

  /**
   * Requests the revocation of certificates. Ignores unknown ids, and certificates that have expired or were revoked.
   * @returns the ids of the certificates that this request revokes
   */
  async request(
    tx: Tx,
    { certificateIds, reason, now }: { certificateIds: readonly string[]; reason: RevocationReason; now: Date },
  ): Promise<string[]> {
    return certificateIds.length === 0 ? [] : this.revocations.addRevocations(tx, certificateIds, reason, now);
  }

  /** Requests the revocation of other organizations' certificates for names that were just verified. */
  async requestOfOthers(
    tx: Tx,
    names: readonly { readonly name: string; readonly organizationId: string }[],
    now: Date,
  ): Promise<void> {
    if (names.length > 0) await this.revocations.addOfOthers(tx, names, NAME_LOST, now);
  }

  /**
   * Requests the revocation of a removed domain's certificates if another organization was verified for the name since: one may
   * have been issued after that. Those of a domain that its owner removed stay valid, as their keys never leave the platform.
   */
  async requestOfLost(tx: Tx, domainId: string, now: Date): Promise<void> {
    await this.revocations.addOfLost(tx, domainId, NAME_LOST, now);
  }
}
