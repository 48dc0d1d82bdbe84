/**
 * The limits of organizations.
 *
 * A limit is a row of the plan (`plan_limits`) or of the organization (`organization_limits`), which takes precedence.
 * A request has them in `Principal.limits`, from the query that finds the key. Code without a principal calls `of`.
 * Code that adds a counted resource calls `lock` in its transaction, so that concurrent requests cannot exceed the
 * limit together.
 */
import { Inject, Injectable } from '@nestjs/common';
import { PromiseCache } from '@pets/async';
import { limitNames, type LimitName } from '@pets/contracts';
import { planShares } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import type { Limits } from '../../http/principal.js';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';

/** Values by name, from the rows: may have unknown names, and lacks limits without a row. */
export type LimitRows = Readonly<Record<string, number>>;

type LimitSettings = Pick<Config, 'RATE_LIMIT_PER_MINUTE' | 'EVENT_STREAMS_PER_KEY'>;

/**
 * The limit rows of an organization, its own before those of its plan, for a statement that reads `organizations`. Two
 * primary key lookups, so that one query finds a principal with its limits.
 */
export const limitRows: RawBuilder<LimitRows> = sql`(
  coalesce(
    (select jsonb_object_agg(l.name, l.value) from plan_limits l where l.plan = organizations.plan),
    '{}'
  ) || coalesce(
    (select jsonb_object_agg(l.name, l.value) from organization_limits l where l.organization_id = organizations.id),
    '{}'
  )
)`;

/** Combines rows and settings. A limit with neither is 0. */
export function resolveLimits(rows: LimitRows, settings: LimitSettings): Limits {
  const { RATE_LIMIT_PER_MINUTE, EVENT_STREAMS_PER_KEY } = settings;
  const defaults: Partial<Record<LimitName, number>> = {
    requestsPerMinute: RATE_LIMIT_PER_MINUTE,
    eventStreams: EVENT_STREAMS_PER_KEY,
  };
  const limits = Object.fromEntries(limitNames.map((name) => [name, rows[name] ?? defaults[name] ?? 0])) as Record<
    LimitName,
    number
  >; // every name is there
  return RATE_LIMIT_PER_MINUTE === 0 ? { ...limits, requestsPerMinute: Infinity } : limits;
}

/** A changed limit applies on every replica after this time, like a revoked key. */
const TTL_MS = 1_000;
/** Bounds memory; organizations beyond it cost a query for each read. */
const MAX_ENTRIES = 10_000;

@Injectable()
export class LimitsService {
  private readonly recent = new PromiseCache<Limits>({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS });

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly settings: LimitSettings,
  ) {}

  /** Limits of an organization, not older than a second. */
  of(organizationId: string): Promise<Limits> {
    return this.recent.get(organizationId, () => this.readLimits(organizationId));
  }

  /** The current limits of an organization that exists. */
  async readLimits(organizationId: string, db: Database = this.db): Promise<Limits> {
    const { rows } = await db
      .selectFrom('organizations')
      .select(limitRows.as('rows'))
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return this.resolve(rows);
  }

  /** The current limits. Neither the plan nor a limit of the organization changes before the transaction ends. */
  async hold(tx: Tx, organizationId: string): Promise<Limits> {
    await tx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .forShare()
      .executeTakeFirstOrThrow();
    return this.readLimits(organizationId, tx);
  }

  /**
   * The current limits. Other transactions that lock the organization wait until this one ends, so a count that is read
   * now still holds when the row is inserted.
   */
  async lock(tx: Tx, organizationId: string): Promise<Limits> {
    await tx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    return this.readLimits(organizationId, tx);
  }

  resolve(rows: LimitRows): Limits {
    return resolveLimits(rows, this.settings);
  }
}

const cases = sql.join(
  Object.entries(planShares).map(([plan, share]) => sql`when ${plan} then ${sql.lit(share)}`),
  sql` `,
);

/** The share of a plan, a column, as an integer. */
export function planShare(plan: RawBuilder<unknown>): RawBuilder<number> {
  return sql`case ${plan} ${cases} end`;
}
