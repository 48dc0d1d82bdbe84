import { sql } from 'kysely';
import { deleteEndedKeys } from '../../access/api-keys/api-keys.repository.js';
import type { Config } from '../../platform/config.js';
import type { retentionSettings } from '../../platform/retention-settings.js';
import {
  clearPage,
  deleteOldest,
  deleteRows,
  findFirst,
  oldCertificates,
  oldEvents,
  oldImports,
  removedPeople,
  withoutPosition,
  type RetentionRule,
} from './retention-rule.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Long enough to investigate a key after its revocation. */
const ENDED_KEYS_DAYS = 90;
/** After the expiry of the certificate; the history of the domain keeps its lines. */
const REVOCATIONS_DAYS = 30;
/** After the end of an upload, for the history of its domain. */
const ENDED_UPLOADS_DAYS = 30;
/** After the end of an import, with its report. */
const IMPORTS_DAYS = 30;
/** Longer than the longest period of statistics. */
const WEBHOOK_STATISTICS_DAYS = 8;
/** Longer than a deprecated operation is announced. */
const DEPRECATED_CALLS_DAYS = 400;

/** In days. */
export type RetentionSettings = Pick<Config, keyof typeof retentionSettings>;

const standard = { everyMs: HOUR_MS, batch: 1_000 };

/** The life of every row that ends by time. docs/retention.md has all tables, with those of which nothing is deleted here. */
export function retentionRules({
  AUDIT_RETENTION_DAYS,
  RETENTION_CERTIFICATES,
  RETENTION_CLAIMS,
  RETENTION_DELIVERIES,
  RETENTION_EVENTS,
  RETENTION_REMOVED_DOMAINS,
}: RetentionSettings): readonly RetentionRule[] {
  return [
    { ...standard, table: 'sessions', keptMs: 0, ...deleteOldest('sessions', 'expires_at') },
    {
      ...standard,
      table: 'idempotent_answers',
      keptMs: 0,
      everyMs: 10 * MINUTE_MS,
      ...deleteOldest('idempotent_answers', 'expires_at'),
    },
    { ...standard, table: 'api_keys', keptMs: ENDED_KEYS_DAYS * DAY_MS, batch: 500, ...endedKeys },
    { ...standard, table: 'invitations', keptMs: 0, ...deleteOldest('invitations', 'expires_at') },
    { ...standard, table: 'setup_links', keptMs: 0, ...deleteOldest('setup_links', 'expires_at') },
    { ...standard, table: 'deployment_uploads', keptMs: 0, ...deleteOldest('deployment_uploads', 'expires_at') },
    // With them goes the name in the audit log, so not earlier.
    { ...standard, table: 'people', keptMs: AUDIT_RETENTION_DAYS * DAY_MS, ...removedPeople },
    { ...standard, table: 'audit_events', keptMs: AUDIT_RETENTION_DAYS * DAY_MS, ...auditEvents },
    {
      ...standard,
      table: 'webhook_deliveries',
      keptMs: RETENTION_DELIVERIES * DAY_MS,
      batch: 500,
      ...deleteOldest('webhook_deliveries', 'created_at'),
    },
    {
      ...standard,
      table: 'webhook_statistics',
      keptMs: WEBHOOK_STATISTICS_DAYS * DAY_MS,
      ...deleteOldest('webhook_statistics', 'hour'),
    },
    { ...standard, table: 'webhook_secrets', keptMs: 0, ...deleteOldest('webhook_secrets', 'expires_at') },
    {
      ...standard,
      table: 'domain_imports',
      keptMs: IMPORTS_DAYS * DAY_MS,
      // Of pieces, each with 100 lines.
      batch: 100,
      ...oldImports,
    },
    {
      ...standard,
      table: 'certificate_revocations',
      keptMs: REVOCATIONS_DAYS * DAY_MS,
      ...deleteOldest('certificate_revocations', 'expires_at'),
    },
    { ...standard, table: 'ca_pauses', keptMs: HOUR_MS, ...deleteOldest('ca_pauses', 'paused_until') },
    {
      ...standard,
      table: 'certificates',
      keptMs: RETENTION_CERTIFICATES * DAY_MS,
      everyMs: 6 * HOUR_MS,
      ...oldCertificates,
    },
    { ...standard, table: 'uploaded_certificates', keptMs: ENDED_UPLOADS_DAYS * DAY_MS, ...endedUploads },
    {
      ...standard,
      table: 'platform_certificates',
      keptMs: RETENTION_CERTIFICATES * DAY_MS,
      ...oldPlatformCertificates,
    },
    {
      ...standard,
      table: 'domains',
      keptMs: RETENTION_REMOVED_DOMAINS * DAY_MS,
      everyMs: 6 * HOUR_MS,
      batch: 200,
      ...removedDomains,
    },
    { ...standard, table: 'domain_claims', keptMs: RETENTION_CLAIMS * DAY_MS, ...releasedClaims },
    { ...standard, table: 'project_events', keptMs: RETENTION_EVENTS * DAY_MS, ...oldEvents },
    {
      ...standard,
      table: 'deprecated_calls',
      keptMs: DEPRECATED_CALLS_DAYS * DAY_MS,
      ...deprecatedCalls,
    },
  ];
}

/** Sessions and answers of a key go with it. */
const endedKeys: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: async (tx, { before, limit }) => withoutPosition(await deleteEndedKeys(tx, before, limit), limit),
  findOldest: (tx) =>
    findFirst(
      tx,
      sql`select least(revoked_at, expires_at) as at from api_keys where least(revoked_at, expires_at) is not null
        order by least(revoked_at, expires_at)`,
    ),
};

/** A row stays while it has a key, or an object in the storage: `certificates.sweeper.ts` deletes both. */
export const endedUploads: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: (tx, { before, limit }) => {
    const ended = sql`select ctid from certificates
      where ended_at < ${before} and not has_key and not has_object order by ended_at`;
    return deleteRows(tx, 'certificates', ended, limit);
  },
  findOldest: (tx) =>
    findFirst(tx, sql`select ended_at as at from certificates where ended_at is not null order by ended_at`),
};

const endOfPlatform = sql`coalesce(not_after, created_at)`;

/** Rows of the platform, which are few. The object is deleted before the key: `platform-certificate-objects.ts`. */
const oldPlatformCertificates: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: (tx, { before, limit }) => {
    const old = sql`select ctid from platform_certificates
      where sealed_key = '' and ${endOfPlatform} < ${before} order by ${endOfPlatform}`;
    return deleteRows(tx, 'platform_certificates', old, limit);
  },
  findOldest: (tx) =>
    findFirst(
      tx,
      sql`select ${endOfPlatform} as at from platform_certificates where sealed_key = '' order by ${endOfPlatform}`,
    ),
};

/** Days are text. */
const deprecatedCalls: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: (tx, { before, limit }) => {
    const old = sql`select ctid from deprecated_calls where day < ${before.toISOString().slice(0, 10)} order by day`;
    return deleteRows(tx, 'deprecated_calls', old, limit);
  },
  findOldest: (tx) => findFirst(tx, sql`select day::timestamptz as at from deprecated_calls order by day`),
};

const oldestEvents = deleteOldest('audit_events', 'at');

/** A trigger refuses to delete audit events in any other transaction, and those of the last day in any. */
const auditEvents: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  ...oldestEvents,
  clear: async (tx, batch) => {
    await sql`select set_config('pets.audit_retention', 'on', true)`.execute(tx);
    return oldestEvents.clear(tx, batch);
  },
};

/** Condition on a removed domain that no edge serves, without a revocation, a key or an object in the storage. */
const isFree = sql`
  (r.removed_version is null or r.traffic_stopped_at is not null)
  and not exists (select from certificate_revocations v where v.domain_id = r.id)
  and not exists (select from certificates c where c.domain_id = r.id and (c.has_object or c.has_key))`;

/** Deletes removed domains with their schedule and certificates. A claim that no other domain needs is released. */
export const removedDomains: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: (tx, batch) =>
    clearPage(
      tx,
      {
        ...{ table: 'domains', time: sql`removed_at`, isOld: sql`state = 'removed'`, isFree },
        deletions: sql`
          ids as (select array(select id from free) as free),
          deleted_work as (delete from domain_work where domain_id = any((select free from ids)::uuid[])),
          deleted_certificates as (delete from certificates where domain_id = any((select free from ids)::uuid[])),
          released as (
            update domain_claims c set released_at = now() from free f
            where c.organization_id = f.organization_id and c.name = f.name and not exists (
              select from domains d where d.organization_id = f.organization_id and d.name = f.name
                and d.id <> all((select free from ids)::uuid[])
            )
          ),
          deleted as (delete from domains where id = any((select free from ids)::uuid[]) returning 1)`,
      },
      batch,
    ),
  findOldest: (tx) =>
    findFirst(tx, sql`select removed_at as at from domains where state = 'removed' order by removed_at, id`),
};

/**
 * Claims without a domain. A name that was added while its claim was released keeps the claim.
 */
export const releasedClaims: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: (tx, { before, limit }) =>
    deleteRows(
      tx,
      'domain_claims',
      sql`select c.ctid from domain_claims c
        where c.released_at < ${before} and not exists (
          select from domains d where d.organization_id = c.organization_id and d.name = c.name
        )
        order by c.released_at`,
      limit,
    ),
  findOldest: (tx) =>
    findFirst(tx, sql`select released_at as at from domain_claims where released_at is not null order by released_at`),
};
