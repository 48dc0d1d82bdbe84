import { Inject, Injectable } from '@nestjs/common';
import { ORDERS_COUNT_FOR_MS } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../platform/providers.js';

/** What the ledger of attempts says of single domains. */
@Injectable()
export class AttemptsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** When CAs were asked for orders lately for some domains, oldest first, by domain id. */
  async findOrders(domainIds: readonly string[], now: Date, db: Database | Tx = this.db): Promise<Map<string, Date[]>> {
    if (domainIds.length === 0) return new Map();
    const { rows } = await sql<{ domainId: string; times: Date[] }>`
      select domain_id as "domainId", array_agg(created_at order by created_at) as times from certificates
      where domain_id = any(${domainIds}) and ordered is distinct from false
        and created_at > ${new Date(now.getTime() - ORDERS_COUNT_FOR_MS)}
      group by domain_id`.execute(db);
    return new Map(rows.map(({ domainId, times }) => [domainId, times]));
  }

  /** Whether the last attempt of a generation has ended in failure. */
  async hasLastFailed(tx: Tx, domainId: string, generation: number): Promise<boolean> {
    const last = await tx
      .selectFrom('certificates')
      .select('state')
      .where('domain_id', '=', domainId)
      .where('generation', '=', generation)
      .orderBy('attempt', 'desc')
      .limit(1)
      .executeTakeFirst();
    return last?.state === 'failed';
  }
}
