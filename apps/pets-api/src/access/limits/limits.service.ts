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
import type { Database, Tx } from '@pets/persistence';
import type { Limits } from '../../http/principal.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { limitRows, resolveLimits, type LimitRows, type LimitSettings } from './limits.js';

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
