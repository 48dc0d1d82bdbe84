/**
 * Orders that outlive their job (docs/decisions/0100-orders-outlive-jobs.md). The worker reports an order before it finalizes
 * it, the row of the attempt has it, and the next attempt continues it. Nothing here depends on a process that lives on: a
 * lost job leaves a lease that expires, and then the next claim finds the row.
 */
import { Inject, Injectable } from '@nestjs/common';
import { domainJobs, type Attempt, type DomainEvents } from '@pets/contracts';
import { nextAllowedOrder } from '@pets/domains';
import type { Messaging } from '@pets/messaging';
import type { Database } from '@pets/persistence';
import { DATABASE, MESSAGING } from '../platform/providers.js';
import { WorkRepository } from '../schedule/work.repository.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { CertificateAuthorities } from './certificate-authorities.js';
import { OpenOrdersRepository, type OpenOrder } from './open-orders.repository.js';

const { leaseMs } = domainJobs['issue-certificate'];

/** After this, a lost attempt is taken for lost even if events still wait. */
const MAX_EVENT_DELAY_MS = 10 * 60_000;

/**
 * Reports of orders that the worker has sent and this API has not handled: they wait, a replica that died had taken them, or
 * their handler failed and is tried again. Until then their attempts look lost, and a second order would be finalized.
 */
@Injectable()
export class UnhandledReports {
  constructor(@Inject(MESSAGING) private readonly messaging: Pick<Messaging, 'oldestEvent'>) {}

  /** Returns the lost attempts that an event may be about: the worker sends none after the lease of an attempt. */
  async findPossible<A extends { readonly createdAt: Date }>(attempts: readonly A[], now: Date): Promise<Set<A>> {
    const recent = attempts.filter(({ createdAt }) => now.getTime() - createdAt.getTime() <= MAX_EVENT_DELAY_MS);
    const since = recent.length === 0 ? null : await this.messaging.oldestEvent();
    if (since === null) return new Set();
    return new Set(recent.filter(({ createdAt }) => since.getTime() < createdAt.getTime() + leaseMs));
  }
}

/** An attempt that continues an order, with everything that stays as it was. */
export interface ContinuedOrder<A> {
  readonly attempt: A;
  readonly directoryUrl: string;
  readonly accountThumbprint: string;
  readonly csrPem: string;
  readonly order: OpenOrder;
  /** Whether the order is only read, a last time: the CA may have issued since the read before. */
  readonly hasExpired: boolean;
}

/** An attempt that ends without a job: its order cannot be continued. */
interface GivenUpOrder<A> {
  readonly attempt: A;
  readonly nextOrderAt: Date;
  readonly reason: string;
}

interface GoneOrder<A> {
  readonly attempt: A;
  readonly id: string;
  readonly directoryUrl: string;
}

/** Claimed attempts by how they go on. Attempts in no list are deferred. */
export interface Continuation<A> {
  readonly continued: readonly ContinuedOrder<A>[];
  readonly givenUp: readonly GivenUpOrder<A>[];
  /** Attempts that may place a new order. */
  readonly others: readonly A[];
}

@Injectable()
export class OpenOrders {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly orders: OpenOrdersRepository,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly cas: CertificateAuthorities,
    private readonly reports: UnhandledReports,
    private readonly work: WorkRepository,
  ) {}

  /**
   * Stores the order of a current attempt. If nothing schedules the attempts of its domain any more, since it was removed or
   * lost its delegation meanwhile, it is due at once. @returns false if the attempt is outdated
   */
  async store(event: DomainEvents['certificate.ordered']): Promise<boolean> {
    return this.db.transaction().execute(async (tx) => {
      if (!(await this.orders.store(tx, event, new Date()))) return false;
      const scheduled = await this.work.find(tx, event.domainId, 'issuance');
      if (scheduled?.dueAt === null) await this.work.makeDue(tx, [event.domainId], 'issuance');
      return true;
    });
  }

  /**
   * Finds the orders that the attempts continue. Gives up those of a CA that is not configured any more: as with any other that is
   * given up, the budget of orders decides when a new one follows.
   */
  async continueAll<A extends Attempt>(attempts: readonly A[]): Promise<Continuation<A>> {
    const pending = await this.orders.findPending(attempts.map(({ domainId }) => domainId));
    if (pending.size === 0) return { continued: [], givenUp: [], others: attempts };
    const now = new Date();
    const lost = [...pending.values()].filter(({ order }) => order === null);
    const reported = await this.reports.findPossible(lost, now);
    const open: (ContinuedOrder<A> & { readonly id: string })[] = [];
    const gone: GoneOrder<A>[] = [];
    const others: A[] = [];
    for (const attempt of attempts) {
      const earlier = pending.get(attempt.domainId);
      if (earlier === undefined) others.push(attempt);
      else if (earlier.order === null) {
        if (!reported.has(earlier)) others.push(attempt);
      } else if (this.cas.find(earlier.directoryUrl) === undefined)
        gone.push({ attempt, id: earlier.id, directoryUrl: earlier.directoryUrl });
      else {
        const { order } = earlier;
        open.push({ ...earlier, attempt, order, hasExpired: order.expiresAt <= now });
      }
    }
    const givenUp = await this.giveUp(gone, now);
    const taken = await this.orders.takeOver(
      open.map(({ id, attempt: { domainId, generation, attempt } }) => ({ id, domainId, generation, attempt })),
    );
    return { continued: open.filter(({ id }) => taken.has(id)), givenUp, others };
  }

  private async giveUp<A extends Attempt>(gone: readonly GoneOrder<A>[], now: Date): Promise<GivenUpOrder<A>[]> {
    if (gone.length === 0) return [];
    await this.orders.giveUp(
      gone.map(({ id }) => id),
      now,
    );
    const ordersAt = await this.attempts.findOrders(
      gone.map(({ attempt }) => attempt.domainId),
      now,
    );
    return gone.map(({ attempt, directoryUrl }) => ({
      attempt,
      nextOrderAt: nextAllowedOrder(ordersAt.get(attempt.domainId) ?? [], now),
      reason: `the account at ${new URL(directoryUrl).hostname} that requested the certificate is not used any more`,
    }));
  }
}
