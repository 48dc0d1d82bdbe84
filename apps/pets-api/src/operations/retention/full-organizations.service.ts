/**
 * Acts on organizations that have used their `databaseBytes`: finished deliveries are deleted, the oldest first. If
 * that is not enough, endpoints with deliveries that wait are paused: these are still sent, and no new ones are
 * recorded. Imports, uploads and additions of domains are refused elsewhere
 * (`access/limits/database-budget.service.ts`).
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { pause } from '@pets/async';
import type { AuditEventType } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { AuditLog } from '../../access/audit/audit-log.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { DATABASE } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { DatabaseBytesRepository, type LimitedOrganization } from './database-bytes.repository.js';

/** Deletion goes on down to this share of the limit, and below it endpoints resume: not every estimate changes something. */
const GOAL = 0.9;
const BATCH = 500;
/** In one round, of one organization. */
const MAX_BATCHES = 100;
const PAUSE_MS = 50;
/** Bytes of a finished delivery beside its body, with its indexes. */
const DELIVERY_BYTES = 600;

/** A delivery that is younger may be in progress. */
const isWaiting = sql`exists (
  select from webhook_deliveries d
  where d.endpoint_id = e.id and d.state = 'pending' and d.created_at < now() - interval '1 minute'
)`;

@Injectable()
export class FullOrganizations {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly audit: AuditLog,
  ) {}

  async apply({ id, bytes, limit }: LimitedOrganization, signal: AbortSignal): Promise<void> {
    const goal = GOAL * limit;
    const left = bytes > limit ? bytes - (await this.deleteFinished(id, bytes - goal, signal)) : bytes;
    if (left > limit) {
      const full = sql`paused_at is null and enabled and ${isWaiting}`;
      await this.change(id, 'webhook_endpoint.paused', sql`now()`, full);
    }
    const mayResume = left <= goal ? sql`true` : sql`not ${isWaiting}`;
    await this.change(id, 'webhook_endpoint.resumed', sql`null`, sql`paused_at is not null and ${mayResume}`);
  }

  /** @returns about how many bytes were freed */
  private async deleteFinished(organizationId: string, wanted: number, signal: AbortSignal): Promise<number> {
    let freed = 0;
    for (let batch = 0; batch < MAX_BATCHES && freed < wanted && !signal.aborted; batch++) {
      const { rows } = await sql<{ count: number; bytes: number }>`
        with page as materialized (
          select d.ctid from webhook_endpoints e
          cross join lateral (
            select ctid, number from webhook_deliveries
            where endpoint_id = e.id and state <> 'pending' order by number limit ${BATCH}
            for update skip locked
          ) d
          where e.organization_id = ${organizationId} order by d.number limit ${BATCH}
        ), deleted as (
          delete from webhook_deliveries where ctid = any(array(select ctid from page))
          returning pg_column_size(body) as bytes
        )
        select count(*)::integer as count, coalesce(sum(bytes), 0)::float8 as bytes from deleted`.execute(this.db);
      const { count, bytes } = rows[0] ?? { count: 0, bytes: 0 };
      freed += bytes + count * DELIVERY_BYTES;
      if (count < BATCH) break;
      await pause(PAUSE_MS, signal);
    }
    return freed;
  }

  /** Changes endpoints, with an audit event for each. */
  private async change(
    organizationId: string,
    type: AuditEventType,
    pausedAt: RawBuilder<unknown>,
    condition: RawBuilder<unknown>,
  ): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ id: string; url: string }>`
        update webhook_endpoints e set paused_at = ${pausedAt}
        where e.organization_id = ${organizationId} and ${condition} returning e.id, e.url`.execute(tx);
      await this.audit.recordAll(
        tx,
        rows.map(({ id, url }) => ({
          ...{ organizationId, type },
          subject: { kind: 'webhook_endpoint', id },
          detail: { host: new URL(url).host },
        })),
      );
    });
  }
}

const LOOK_EVERY_MS = 30_000;
/** From one estimate of the cluster to the next: with `LOOK_EVERY_MS`, about a minute. */
const EVERY_MS = 45_000;
/** Four times what the last one took, at least. */
const PAUSE_RATIO = 4;

/** Estimates the bytes of all organizations about every minute, in one process of the cluster, and applies their limits. */
@Injectable()
export class DatabaseBytes implements OnModuleInit {
  constructor(
    private readonly bytes: DatabaseBytesRepository,
    private readonly full: FullOrganizations,
    private readonly tasks: BackgroundTasks,
    private readonly shuttingDown: ShuttingDown,
  ) {}

  onModuleInit(): void {
    const failure = 'bytes of organizations not estimated';
    this.tasks.repeat({ everyMs: LOOK_EVERY_MS, failure, run: () => this.run() });
  }

  async run(): Promise<void> {
    const at = await this.bytes.beginEstimate();
    if (at === null) return;
    const beganMs = performance.now();
    const { signal } = this.shuttingDown;
    const sums = new Map<string, number>();
    for (const table of await this.bytes.listTables()) {
      if (signal.aborted) return;
      await this.bytes.addTable(table, sums);
    }
    await this.bytes.save(sums, at);
    for (const organization of await this.bytes.listLimited()) await this.full.apply(organization, signal);
    await this.bytes.complete(Math.max(EVERY_MS, PAUSE_RATIO * (performance.now() - beganMs)));
  }
}
