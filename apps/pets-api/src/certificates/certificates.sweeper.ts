import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { BackgroundTasks } from '../platform/background-tasks.js';
import type { Clock } from '../platform/clock.js';
import { CLOCK, DATABASE } from '../platform/providers.js';
import { CertificateObjects } from './certificate-objects.service.js';
import { OwnCertificatesRepository } from './own/own-certificates.repository.js';

/** Until then edges ask pets-api for a certificate that was not written. */
const EVERY_MS = 60_000;
const BATCH = 200;
/** For edges that are behind, and for late results. */
const KEY_GRACE_MS = 86_400_000;

/**
 * Writes missing objects of certificates to the storage, and deletes unused ones. Keys of uploads are deleted here, a day after
 * the end of the upload; those of orders by `UnusedKeysSweeper`. The retention deletes the rows.
 */
@Injectable()
export class CertificatesSweeper implements OnModuleInit {
  constructor(
    private readonly objects: CertificateObjects,
    private readonly own: OwnCertificatesRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({
      everyMs: EVERY_MS,
      failure: 'certificates in the storage not kept up to date',
      run: () => this.sweep(),
    });
  }

  async sweep(): Promise<void> {
    const now = this.clock();
    const before = new Date(now.getTime() - KEY_GRACE_MS);
    const steps: Record<string, (limit: number) => Promise<number>> = {
      'certificates not written to the storage': (limit) => this.objects.writeLeft(limit),
      'uploads of removed domains not ended': (limit) => this.own.endOfRemoved(now, limit),
      'keys of ended uploads not deleted': (limit) => this.own.deleteKeys(before, limit),
      'unused certificates not deleted from the storage': (limit) => this.objects.deleteUnused(limit),
    };
    for (const [failure, clear] of Object.entries(steps)) await this.tasks.sweep({ batch: BATCH, failure, clear });
  }
}

/** Reasons why a key of an issued certificate is unused. Each is read in the order of time, from a stored position. */
const unusedSources = ['replaced', 'removed'] as const;
type UnusedSource = (typeof unusedSources)[number];

interface UnusedPage {
  /** Ids of certificates. */
  readonly keys: readonly string[];
  /** Certificates issued, or domains removed, that the page has read. */
  readonly read: number;
  /** The time of the last one, in full precision as text; null when there was none. */
  readonly readUntil: string | null;
}

/** Time before the position in which removals are read again: an issuance may have ended after the removal. */
const OVERLAP = sql`interval '2 days'`;

/** Finds private keys that nobody needs any more. Every statement reads what is new since the last sweep. */
@Injectable()
export class UnusedKeysRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Ids of attempts before a time that got no certificate, and whose orders can give none any more. */
  async listUnissued(before: Date, limit: number): Promise<string[]> {
    const { rows } = await unissuedStatement(before, limit).execute(this.db);
    return rows.map(({ id }) => id);
  }

  /** Returns the start of a sweep: the beginning of time when there was none. */
  async findStart(source: UnusedSource): Promise<string> {
    const { rows } = await sql<{ start: string }>`
      select (read_until - ${source === 'removed' ? OVERLAP : sql`interval '0'`})::text as start
      from unused_key_positions where source = ${source}`.execute(this.db);
    return rows[0]?.start ?? '-infinity';
  }

  /** The keys that became unused after `start` and before a time; at least `limit` events, if there are so many. */
  async readPage(source: UnusedSource, start: string, before: Date, limit: number): Promise<UnusedPage> {
    const { rows } = await unusedPageStatement(source, start, before, limit).execute(this.db);
    const [page] = rows;
    if (page === undefined) throw new Error('an aggregate without a row');
    return page;
  }

  /** Moves the position forward, never back: replicas sweep side by side. */
  async savePosition(source: UnusedSource, readUntil: string): Promise<void> {
    await sql`
      insert into unused_key_positions as p (source, read_until) values (${source}, ${readUntil}::timestamptz)
      on conflict (source) do update set read_until = excluded.read_until
      where p.read_until < excluded.read_until`.execute(this.db);
  }

  async deleteKeys(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await sql`update certificates set sealed_key = '', csr_pem = '' where id = any(${ids}) and origin = 'ordered'`.execute(
      this.db,
    );
  }
}

/** Reads the keys it finds, from an almost empty index; a test checks its plan. */
export function unissuedStatement(before: Date, limit: number): RawBuilder<{ id: string }> {
  return sql<{ id: string }>`
    select c.id from certificates c
    where c.state in ('pending', 'failed') and c.has_key and c.created_at < ${before}
      and not (c.state = 'pending' and coalesce(c.order_expires_at > ${before}, false))
    order by c.created_at limit ${limit}`;
}

/** Reads one page of an index by time, with all events of its last instant; a test checks its plan. */
export function unusedPageStatement(
  source: UnusedSource,
  start: string,
  before: Date,
  limit: number,
): RawBuilder<UnusedPage> {
  const page = {
    replaced: sql`
      select domain_id, issued_at as at from certificates
      where state = 'issued' and issued_at > ${start}::timestamptz and issued_at < ${before}
      order by issued_at fetch first ${sql.lit(limit)} rows with ties`,
    removed: sql`
      select id as domain_id, removed_at as at from domains
      where removed_at is not null and removed_at > ${start}::timestamptz and removed_at < ${before}
      order by removed_at fetch first ${sql.lit(limit)} rows with ties`,
  }[source];
  const isUnused = { replaced: sql`c.issued_at < p.at`, removed: sql`true` }[source];
  return sql<UnusedPage>`
    with page as materialized (${page}), keys as (
      select distinct c.id from page p cross join lateral (
        select c.id from certificates c
        where c.domain_id = p.domain_id and c.state = 'issued' and c.has_key and ${isUnused}
        offset 0
      ) c
    )
    select (select count(*) from page)::integer as read, (select max(at) from page)::text as "readUntil",
      coalesce((select jsonb_agg(id) from keys), '[]') as keys`;
}

const HOUR_MS = 60 * 60 * 1_000;

const KEYS_BATCH = 500;

const KEYS_FAILURE = 'unused keys not deleted';

/**
 * Deletes unused keys of orders, with their signing requests: of attempts that failed or never reported, of replaced
 * certificates, and of removed domains. The rows stay for the limits of the CAs. The object in the storage follows
 * (`certificate-objects.service.ts`).
 */
@Injectable()
export class UnusedKeysSweeper implements OnModuleInit {
  constructor(
    private readonly keys: UnusedKeysRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: HOUR_MS, failure: KEYS_FAILURE, run: () => this.sweep() });
  }

  /** @returns how many keys were deleted */
  async sweep(): Promise<number> {
    const before = new Date(this.clock().getTime() - KEY_GRACE_MS);
    let deleted = await this.tasks.sweep({
      batch: KEYS_BATCH,
      failure: KEYS_FAILURE,
      clear: async (limit) => this.deleteKeys(await this.keys.listUnissued(before, limit)),
    });
    for (const source of unusedSources) deleted += await this.sweepIssued(source, before);
    return deleted;
  }

  /** The position moves after the keys are deleted: if the process dies here, the next sweep reads the page again. */
  private async sweepIssued(source: UnusedSource, before: Date): Promise<number> {
    let deleted = 0;
    let start: string | null = null;
    await this.tasks.sweep({
      batch: KEYS_BATCH,
      failure: KEYS_FAILURE,
      clear: async (limit) => {
        start ??= await this.keys.findStart(source);
        const { keys, read, readUntil } = await this.keys.readPage(source, start, before, limit);
        deleted += await this.deleteKeys(keys);
        if (readUntil !== null) {
          await this.keys.savePosition(source, readUntil);
          start = readUntil;
        }
        return read;
      },
    });
    return deleted;
  }

  private async deleteKeys(ids: readonly string[]): Promise<number> {
    await this.keys.deleteKeys(ids);
    return ids.length;
  }
}
