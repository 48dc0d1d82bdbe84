import { Injectable } from '@nestjs/common';
import {
  caAccountId,
  freeSlots,
  slotAt,
  type CaAccount,
  type CaAccountRef,
  type OrderAccount,
  type QueuePosition,
} from '@pets/domains';
import type { Database } from '@pets/persistence';
import { CaPausesRepository } from './ca-pauses.repository.js';
import { CaUsageRepository } from './ca-usage.repository.js';
import { MAX_COUNTED, OrderQueueRepository } from './order-queue.repository.js';
import { UsableAccounts } from './usable-accounts.js';

/** Reads the accounts and their queues. */
@Injectable()
export class OrderAccounts {
  constructor(
    private readonly accounts: UsableAccounts,
    private readonly usage: CaUsageRepository,
    private readonly queue: OrderQueueRepository,
    private readonly pauses: CaPausesRepository,
  ) {}

  /** The slots that may be given now, at most `max`. The orders of an account that is gone all leave: they get another. */
  async countSlotsToGive(db: Database, ref: CaAccountRef, max: number, now: Date): Promise<number> {
    const state = await this.accounts.stateOf(ref);
    const account = this.accounts.find(ref);
    if (state === 'gone' || account === undefined) return max;
    if (state === 'unready' || (await this.pauses.find(db, [], now)).ofAccount(ref) !== null) return 0;
    const slots = await this.read(db, account, [], now);
    return slots === null ? max : Math.min(max, freeSlots(slots, slots.given, now));
  }

  /** Those of some accounts that limit orders, by id. */
  async readAll(
    db: Database,
    accounts: readonly CaAccount[],
    domainIds: readonly string[],
    now: Date,
  ): Promise<Map<string, OrderAccount>> {
    const found = new Map<string, OrderAccount>();
    for (const account of accounts) {
      const slots = await this.read(db, account, domainIds, now);
      if (slots !== null) found.set(caAccountId(account), slots);
    }
    return found;
  }

  /** The places of those of some domains that wait, by domain id. */
  async findPositions(db: Database, domainIds: readonly string[], now: Date): Promise<Map<string, QueuePosition>> {
    const places = await this.queue.findPlaces(db, domainIds);
    if (places.length === 0) return new Map();
    const ids = new Set(places.map(caAccountId));
    const configured = this.accounts.configured.filter((account) => ids.has(caAccountId(account)));
    const slots = await this.readAll(db, configured, [], now);
    const pauses = await this.pauses.find(db, [], now);
    return new Map(
      places.map(({ domainId, before: counted, ...ref }) => {
        const before = counted ?? MAX_COUNTED;
        const account = slots.get(caAccountId(ref));
        const slot = account === undefined ? now : slotAt(account, account.given + before, now);
        const pausedUntil = pauses.ofAccount(ref) ?? now;
        const expectedAt = pausedUntil > slot ? pausedUntil : slot;
        return [domainId, { before, isMore: counted === null, expectedAt }];
      }),
    );
  }

  /** @returns null for an account that does not limit orders */
  private async read(
    db: Database,
    account: CaAccount,
    domainIds: readonly string[],
    now: Date,
  ): Promise<OrderAccount | null> {
    const limit = account.limits.find(({ kind }) => kind === 'orders');
    if (limit === undefined) return null;
    const [fullAt, queue] = await Promise.all([
      this.usage.findFullAt(db, account, limit, now),
      this.queue.readState(db, account, domainIds),
    ]);
    return { limit, fullAt, ...queue };
  }
}
