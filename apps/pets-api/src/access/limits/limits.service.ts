/**
 * What each organization may have and do.
 *
 * Limits are rows: one for each plan (`plan_limits`), and an organization may have its own (`organization_limits`), which
 * wins. A request gets the limits with its principal (`Principal.limits`), from the query that finds the key. Code without
 * a principal asks `of`. Code that adds something counted asks `lock` in the transaction that adds it, so that requests at
 * the same time cannot exceed the limit together.
 */
import { Inject, Injectable } from '@nestjs/common';
import { PromiseCache } from '@pets/async';
import type { Database, Tx } from '@pets/persistence';
import type { Limits } from '../../http/principal.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { limitRows, resolveLimits, type LimitRows, type LimitSettings } from './limits.js';

/** A changed limit applies everywhere after this time, as a revoked key does. */
const TTL_MS = 1_000;
/** Organizations active at once on one replica; more cost queries, not memory. */
const MAX_ENTRIES = 10_000;

@Injectable()
export class LimitsService {
  private readonly recent = new PromiseCache<Limits>({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS });

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly settings: LimitSettings,
  ) {}

  /** The limits of an organization, at most a second old. */
  of(organizationId: string): Promise<Limits> {
    return this.recent.get(organizationId, () => this.read(organizationId));
  }

  /** The limits as they are now. The organization is known to exist. */
  async read(organizationId: string, db: Database = this.db): Promise<Limits> {
    const { rows } = await db
      .selectFrom('organizations')
      .select(limitRows.as('rows'))
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return this.resolve(rows);
  }

  /** The limits as they are now. Until the transaction ends, neither the plan nor a limit of the organization changes. */
  async hold(tx: Tx, organizationId: string): Promise<Limits> {
    await tx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .forShare()
      .executeTakeFirstOrThrow();
    return this.read(organizationId, tx);
  }

  /**
   * The limits as they are now. Until the transaction ends, no other transaction that locks the same organization goes
   * on: what is counted now is still true when the row is inserted.
   */
  async lock(tx: Tx, organizationId: string): Promise<Limits> {
    await tx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    return this.read(organizationId, tx);
  }

  resolve(rows: LimitRows): Limits {
    return resolveLimits(rows, this.settings);
  }
}
