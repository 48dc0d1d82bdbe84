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
const isStored = sql<boolean>`state in ('issued', 'checking', 'active') and has_key`;
/** The predicates of partial indexes. */
const isWithoutObject = sql<boolean>`${isStored} and object_written_at is null`;
const isUnused = sql<boolean>`has_object and not has_key`;
/** Certificates of the platform are few; `platform-certificate-objects.ts` writes them. */
const ofPlatform = sql`platform_certificates where state = 'issued' and sealed_key <> ''`;

/** Records which certificates have an object in the storage. Only the holder of a lease writes or deletes an object. */
@Injectable()
export class CertificateObjectsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @returns null when the attempt has ended, has no key any more, or its object is leased */
  async leasePending({ domainId, generation, attempt }: Attempt): Promise<LeasedAttempt | null> {
    const { rows } = await sql<LeasedAttempt>`
      update certificates set has_object = true, object_lease_until = ${leaseEnd}
      where domain_id = ${domainId} and generation = ${generation} and attempt = ${attempt}
        and state = 'pending' and has_key and ${isUnleased}
      returning id, organization_id as "organizationId", sealed_key as "sealedKey",
        object_lease_until as "leaseUntil"`.execute(this.db);
    return rows[0] ?? null;
  }

  /** Leases certificates whose object is missing or outdated, the newest first. @param id leases this one alone */
  async leaseLeft(limit: number, id: string | null = null): Promise<LeasedCertificate[]> {
    const { rows } = await sql<LeasedCertificate>`
      update certificates set has_object = true, object_lease_until = ${leaseEnd}
      where id in (
        select id from certificates where ${isWithoutObject} and ${isUnleased} ${id === null ? sql`` : sql`and id = ${id}`}
        order by created_at desc limit ${limit} for update skip locked
      )
      returning id, organization_id as "organizationId", chain_pem as "chainPem", sealed_key as "sealedKey",
        object_lease_until as "leaseUntil"`.execute(this.db);
    return rows;
  }

  /** Leases certificates whose key was deleted, and whose object was not, in the order of their index: it is almost empty. */
  async leaseUnused(limit: number): Promise<ObjectLease[]> {
    const { rows } = await sql<ObjectLease>`
      update certificates set object_lease_until = ${leaseEnd}
      where id in (
        select id from certificates where ${isUnused} and ${isUnleased}
        order by id limit ${limit} for update skip locked
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

  /** The same for the certificates of the platform, which are few. */
  async expireOfPlatform(): Promise<void> {
    await sql`update platform_certificates set object_written_at = null where object_written_at is not null`.execute(
      this.db,
    );
  }

  /** Counts the objects of every certificate, those of the platform included. */
  async count(): Promise<ObjectCounts> {
    const { rows } = await sql<ObjectCounts>`
      select (select count(*) from certificates where ${isStored} and object_written_at is not null)::float8
          + (select count(*) from ${ofPlatform} and object_written_at is not null) as stored,
        (select count(*) from certificates where ${isWithoutObject})::float8
          + (select count(*) from ${ofPlatform} and object_written_at is null) as left,
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
