/**
 * Orders that outlive their job (docs/decisions/0100-orders-outlive-jobs.md). The worker reports an order before it finalizes
 * it, the row of the attempt has it, and the next attempt continues it. Nothing here depends on a process that lives on: a
 * lost job leaves a lease that expires, and then the next claim finds the row.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, DomainEvents } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { DATABASE } from '../../platform/providers.js';
import { WorkRepository } from '../dispatch/work.repository.js';
import { OpenOrdersRepository, type OpenOrder } from './open-orders.repository.js';
import { UnhandledReports } from './unhandled-reports.js';
import { UsableAccounts } from './usable-accounts.js';

/** An attempt that continues an order, with everything that stays as it was. */
export interface ContinuedOrder<A> {
  readonly attempt: A;
  readonly directoryUrl: string;
  readonly account: string;
  /** That the route has to name; null for that of the feed. */
  readonly thumbprint: string | null;
  readonly csrPem: string;
  readonly order: OpenOrder;
}

/** What becomes of claimed attempts. Those in neither list are deferred. */
export interface Continuation<A> {
  readonly continued: readonly ContinuedOrder<A>[];
  /** Attempts that may place a new order. */
  readonly others: readonly A[];
}

@Injectable()
export class OpenOrders {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly orders: OpenOrdersRepository,
    private readonly accounts: UsableAccounts,
    private readonly reports: UnhandledReports,
    private readonly work: WorkRepository,
  ) {}

  /** Stores the order of a current attempt; of a removed domain it is due at once. @returns false if the attempt is outdated */
  async store(event: DomainEvents['certificate.ordered']): Promise<boolean> {
    return this.db.transaction().execute(async (tx) => {
      const state = await this.orders.store(tx, event, new Date());
      if (state === 'removed') await this.work.makeDue(tx, [event.domainId], 'issuance');
      return state !== null;
    });
  }

  /**
   * Finds the orders that the attempts continue. Gives up those that have expired and those whose account is gone, whose
   * attempts may place a new order.
   */
  async continueAll<A extends Attempt>(attempts: readonly A[]): Promise<Continuation<A>> {
    const pending = await this.orders.findPending(attempts.map(({ domainId }) => domainId));
    if (pending.size === 0) return { continued: [], others: attempts };
    const now = new Date();
    const lost = [...pending.values()].filter(({ order }) => order === null);
    const reported = await this.reports.findPossible(lost, now);
    const continued: ContinuedOrder<A>[] = [];
    const others: A[] = [];
    const ended: string[] = [];
    for (const attempt of attempts) {
      const earlier = pending.get(attempt.domainId);
      if (earlier === undefined) others.push(attempt);
      else if (earlier.order === null) {
        if (!reported.has(earlier)) others.push(attempt);
      } else if (earlier.order.expiresAt <= now || (await this.accounts.stateOf(earlier)) === 'gone') {
        ended.push(earlier.id);
        others.push(attempt);
      } else {
        const usable = (await this.accounts.list()).find(
          ({ directoryUrl, account }) => directoryUrl === earlier.directoryUrl && account === earlier.account,
        );
        if (usable !== undefined)
          continued.push({ ...earlier, attempt, order: earlier.order, thumbprint: usable.thumbprint });
      }
    }
    await this.orders.giveUp(ended, now);
    await this.orders.takeOver(
      continued.map(({ attempt: { domainId, generation, attempt } }) => {
        return { id: pending.get(domainId)?.id ?? '', domainId, generation, attempt };
      }),
    );
    return { continued, others };
  }
}
