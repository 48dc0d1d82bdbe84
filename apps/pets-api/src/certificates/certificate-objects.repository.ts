import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, SealedCertificate } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../platform/providers.js';

/** The right to write or delete the object of a certificate. */
export interface ObjectLease {
  readonly id: string;
  readonly leaseUntil: Date;
}

/** A certificate whose object the holder of the lease writes. */
export type LeasedCertificate = SealedCertificate & ObjectLease;

/** A pending attempt, likewise: its chain is not stored yet. */
export type LeasedAttempt = Omit<LeasedCertificate, 'chainPem'>;

export interface ObjectCounts {
  /** Certificates with a key whose object is current. */
  readonly stored: number;
  /** Certificates with a key and without such an object. */
  readonly left: number;
  /** Objects of certificates without a key, which are to be deleted. */
  readonly unused: number;
}

/** Much longer than any write or deletion may take (`certificate-objects.service.ts`). JavaScript dates have milliseconds. */
const leaseEnd = sql<Date>`date_trunc('milliseconds', now()) + interval '2 minutes'`;
const isUnleased = sql<boolean>`(object_lease_until is null or object_lease_until < now())`;
/** The predicates of partial indexes. */
const isWithoutObject = sql<boolean>`state = 'issued' and csr_pem <> '' and object_written_at is null`;
const isUnused = sql<boolean>`has_object and csr_pem = ''`;

/** Which certificates have an object in the storage. Only the holder of a lease writes or deletes an object. */
@Injectable()
export class CertificateObjectsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @returns null when the attempt has ended, has no key any more, or its object is leased */
  async leasePending({ domainId, generation, attempt }: Attempt): Promise<LeasedAttempt | null> {
    const { rows } = await sql<LeasedAttempt>`
      update certificates set has_object = true, object_lease_until = ${leaseEnd}
      where domain_id = ${domainId} and generation = ${generation} and attempt = ${attempt}
        and state = 'pending' and csr_pem <> '' and ${isUnleased}
      returning id, organization_id as "organizationId", sealed_key as "sealedKey",
        object_lease_until as "leaseUntil"`.execute(this.db);
    return rows[0] ?? null;
  }

  /** Leases certificates whose object is missing or outdated, the newest first. */
  async leaseLeft(limit: number): Promise<LeasedCertificate[]> {
    const { rows } = await sql<LeasedCertificate>`
      update certificates set has_object = true, object_lease_until = ${leaseEnd}
      where id in (
        select id from certificates where ${isWithoutObject} and ${isUnleased}
        order by issued_at desc limit ${limit} for update skip locked
      )
      returning id, organization_id as "organizationId", chain_pem as "chainPem", sealed_key as "sealedKey",
        object_lease_until as "leaseUntil"`.execute(this.db);
    return rows;
  }

  /** Leases certificates whose key was deleted, and whose object was not. */
  async leaseUnused(limit: number): Promise<ObjectLease[]> {
    const { rows } = await sql<ObjectLease>`
      update certificates set object_lease_until = ${leaseEnd}
      where id in (
        select id from certificates where ${isUnused} and ${isUnleased} limit ${limit} for update skip locked
      )
      returning id, object_lease_until as "leaseUntil"`.execute(this.db);
    return rows;
  }

  /**
   * Records written objects. An object counts as current only if the key has not changed since the lease began. Without the
   * lease another process may have written or deleted it before this one: then it is written again, or deleted again.
   */
  async recordWritten(written: readonly LeasedCertificate[]): Promise<void> {
    if (written.length === 0) return;
    const keys = written.map(({ sealedKey }) => sealedKey);
    await sql`
      update certificates c set has_object = true,
        object_written_at = case when c.object_lease_until = w.lease_until and c.sealed_key = w.sealed_key then now() end,
        object_lease_until = nullif(c.object_lease_until, w.lease_until)
      from unnest(${idsOf(written)}::uuid[], ${leasesOf(written)}::timestamptz[], ${keys}::text[])
        as w (id, lease_until, sealed_key)
      where c.id = w.id`.execute(this.db);
  }

  /** Records deleted objects, except those whose lease is over. */
  async recordDeleted(deleted: readonly ObjectLease[]): Promise<void> {
    if (deleted.length === 0) return;
    await sql`
      update certificates c set has_object = false, object_written_at = null, object_lease_until = null
      from unnest(${idsOf(deleted)}::uuid[], ${leasesOf(deleted)}::timestamptz[]) as w (id, lease_until)
      where c.id = w.id and c.object_lease_until = w.lease_until`.execute(this.db);
  }

  /** Ends leases early. */
  async release(leases: readonly ObjectLease[]): Promise<void> {
    if (leases.length === 0) return;
    await sql`
      update certificates c set object_lease_until = null
      from unnest(${idsOf(leases)}::uuid[], ${leasesOf(leases)}::timestamptz[]) as w (id, lease_until)
      where c.id = w.id and c.object_lease_until = w.lease_until`.execute(this.db);
  }

  /**
   * Forgets what is known about the objects of the next certificates by id, so that all are written or deleted again.
   * @returns the last of these ids; null when there are no more
   */
  async expire(after: string | null, limit: number): Promise<string | null> {
    const { rows } = await sql<{ last: string | null }>`
      with next as (
        select id from certificates ${after === null ? sql`` : sql`where id > ${after}`} order by id limit ${limit}
      ), expired as (
        update certificates set has_object = true, object_written_at = null
        where id in (select id from next) and (not has_object or object_written_at is not null)
      )
      select max(id::text) as last from next`.execute(this.db);
    return rows[0]?.last ?? null;
  }

  /**
   * The same for uploaded certificates and those of the platform, which are few. The sweeps of pets-api write them.
   */
  async expireOthers(): Promise<void> {
    for (const table of ['own_certificates', 'platform_certificates'])
      await sql`
        update ${sql.table(table)} set object_written_at = null where object_written_at is not null`.execute(this.db);
  }

  /** How many objects are missing or outdated. */
  async countLeft(): Promise<number> {
    const { rows } = await sql<{ left: number }>`
      select count(*)::float8 as left from certificates where ${isWithoutObject}`.execute(this.db);
    return rows[0]?.left ?? 0;
  }

  async count(): Promise<ObjectCounts> {
    const { rows } = await sql<ObjectCounts>`
      select (select count(*) from certificates
          where state = 'issued' and csr_pem <> '' and object_written_at is not null)::float8 as stored,
        (select count(*) from certificates where ${isWithoutObject})::float8 as left,
        (select count(*) from certificates where ${isUnused})::float8 as unused`.execute(this.db);
    return rows[0] ?? { stored: 0, left: 0, unused: 0 };
  }
}

function idsOf(leases: readonly ObjectLease[]): string[] {
  return leases.map(({ id }) => id);
}

function leasesOf(leases: readonly ObjectLease[]): Date[] {
  return leases.map(({ leaseUntil }) => leaseUntil);
}
