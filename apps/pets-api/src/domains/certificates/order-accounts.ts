import { Inject, Injectable } from '@nestjs/common';
import { caLimitsOf, freeSlots, slotAt, type CaLimit, type OrderSlots, type QueuePosition } from '@pets/domains';
import type { Database } from '@pets/persistence';
import type { Config } from '../../platform/config.js';
import { CONFIG } from '../../platform/providers.js';
import { CaUsageRepository } from './ca-usage.repository.js';
import { MAX_COUNTED, OrderQueueRepository, type QueueState } from './order-queue.repository.js';

/** The account at a directory that limits new orders: its slots, and the orders that wait for them. */
export interface OrderAccount extends OrderSlots, QueueState {}

/** Reads the accounts and their queues. */
@Injectable()
export class OrderAccounts {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'ACME_DIRECTORY_URLS' | 'ACME_LIMITS'>,
    private readonly usage: CaUsageRepository,
    private readonly queue: OrderQueueRepository,
  ) {}

  /** @returns null for a directory that does not limit orders, or is no longer configured */
  async read(
    db: Database,
    directoryUrl: string,
    domainIds: readonly string[],
    now: Date,
  ): Promise<OrderAccount | null> {
    const limit = this.limitOf(directoryUrl);
    if (limit === undefined) return null;
    const [fullAt, queue] = await Promise.all([
      this.usage.findFullAt(db, directoryUrl, limit, now),
      this.queue.readState(db, directoryUrl, domainIds),
    ]);
    return { limit, fullAt, ...queue };
  }

  /** The configured accounts that limit orders, by directory. */
  async readAll(db: Database, domainIds: readonly string[], now: Date): Promise<Map<string, OrderAccount>> {
    const accounts = new Map<string, OrderAccount>();
    for (const url of this.config.ACME_DIRECTORY_URLS) {
      const account = await this.read(db, url, domainIds, now);
      if (account !== null) accounts.set(url, account);
    }
    return accounts;
  }

  /** The places of those of some domains that wait, by domain id. */
  async findPositions(db: Database, domainIds: readonly string[], now: Date): Promise<Map<string, QueuePosition>> {
    const places = await this.queue.findPlaces(db, domainIds);
    const urls = [...new Set(places.map(({ directoryUrl }) => directoryUrl))];
    const accounts = new Map<string, OrderAccount | null>();
    for (const url of urls) accounts.set(url, await this.read(db, url, [], now));
    return new Map(
      places.map(({ domainId, directoryUrl, before: counted }) => {
        const before = counted ?? MAX_COUNTED;
        const account = accounts.get(directoryUrl) ?? null;
        const expectedAt = account === null ? now : slotAt(account, account.given + before, now);
        return [domainId, { before, isMore: counted === null, expectedAt }];
      }),
    );
  }

  private limitOf(directoryUrl: string): CaLimit | undefined {
    const { ACME_DIRECTORY_URLS, ACME_LIMITS } = this.config;
    if (!ACME_DIRECTORY_URLS.includes(directoryUrl)) return undefined;
    return caLimitsOf(directoryUrl, ACME_LIMITS).find(({ kind }) => kind === 'orders');
  }
}

/** Slots that may be given away now. */
export function slotsToGive(account: OrderAccount | null, max: number, now: Date): number {
  return account === null ? max : Math.min(max, freeSlots(account, account.given, now));
}
