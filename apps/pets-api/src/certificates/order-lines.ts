import { Injectable } from '@nestjs/common';
import {
  freeSlots,
  limitEnd,
  slotAt,
  type AdmittedOrders,
  type CaSlots,
  type CertificateSubject,
  type ConfiguredCa,
  type QueuePosition,
} from '@pets/domains';
import type { Database } from '@pets/persistence';
import { CaPausesRepository, CaUsageRepository } from './ca-usage.repository.js';
import { CertificateAuthorities } from './certificate-authorities.js';
import type { LimitedDomain } from './limited-domains.repository.js';
import { MAX_COUNTED, OrderQueueRepository } from './order-queue.repository.js';

/** Reads the lines of the queue of orders, and what the CAs allow: slots, and room below registered domains. */
@Injectable()
export class OrderLines {
  constructor(
    private readonly cas: CertificateAuthorities,
    private readonly usage: CaUsageRepository,
    private readonly queue: OrderQueueRepository,
    private readonly pauses: CaPausesRepository,
  ) {}

  /** The slots that may be given now, at most `max`. The orders of a CA that is not configured any more all leave: they get another. */
  async countSlotsToGive(db: Database, directoryUrl: string, max: number, now: Date): Promise<number> {
    const ca = this.cas.find(directoryUrl);
    if (ca === undefined) return max;
    if ((await this.pauses.find(db, [], now)).ofAccount(directoryUrl) !== null) return 0;
    const slots = await this.readSlots(db, ca, [], now);
    return slots === null ? max : Math.min(max, freeSlots(slots, slots.given, now));
  }

  /** Reads the slots of some CAs that limit orders, by directory. */
  async readAll(
    db: Database,
    cas: readonly ConfiguredCa[],
    domainIds: readonly string[],
    now: Date,
  ): Promise<Map<string, CaSlots>> {
    const found = new Map<string, CaSlots>();
    for (const ca of cas) {
      const slots = await this.readSlots(db, ca, domainIds, now);
      if (slots !== null) found.set(ca.directoryUrl, slots);
    }
    return found;
  }

  /**
   * How many orders a CA allows below a registered domain now, at most `max` where it does not limit them, and when it allows
   * the next one if it allows none.
   */
  async readRoom(
    db: Database,
    { directoryUrl, apexName }: LimitedDomain,
    max: number,
    now: Date,
  ): Promise<{ readonly free: number; readonly endsAt: Date | null }> {
    const pausedUntil = (await this.pauses.find(db, [apexName], now)).ofApex(directoryUrl, apexName);
    if (pausedUntil !== null) return { free: 0, endsAt: pausedUntil };
    const limit = this.cas.find(directoryUrl)?.limits.find(({ kind }) => kind === 'registered_domain');
    if (limit === undefined) return { free: max, endsAt: null };
    const subject = { domainId: '', name: apexName, apexName };
    const [used] = await this.usage.findUsage(db, directoryUrl, [limit], [subject], now);
    const times = used?.times ?? [];
    const admitted = await this.queue.findAdmitted(db, [directoryUrl], [apexName], []);
    const waiting = admitted.get(`${directoryUrl} ${apexName}`)?.count ?? 0;
    return { free: Math.max(0, limit.max - times.length - waiting), endsAt: limitEnd(limit, times, now) };
  }

  /** The orders for which registered domains at CAs that limit them keep room, by `<directory> <registered domain>`. */
  async readAdmitted(db: Database, subjects: readonly CertificateSubject[]): Promise<Map<string, AdmittedOrders>> {
    const limiting = this.cas.configured.filter(({ limits }) =>
      limits.some(({ kind }) => kind === 'registered_domain'),
    );
    return this.queue.findAdmitted(
      db,
      limiting.map(({ directoryUrl }) => directoryUrl),
      subjects.map(({ apexName }) => apexName),
      subjects.map(({ domainId }) => domainId),
    );
  }

  /** The places of those of some domains that wait for a slot, by domain id. */
  async findPositions(db: Database, domainIds: readonly string[], now: Date): Promise<Map<string, QueuePosition>> {
    const places = await this.queue.findPlaces(db, domainIds);
    if (places.length === 0) return new Map();
    const urls = new Set(places.map(({ directoryUrl }) => directoryUrl));
    const configured = this.cas.configured.filter(({ directoryUrl }) => urls.has(directoryUrl));
    const slots = await this.readAll(db, configured, [], now);
    const pauses = await this.pauses.find(db, [], now);
    return new Map(
      places.map(({ domainId, before: counted, directoryUrl }) => {
        const before = counted ?? MAX_COUNTED;
        const ca = slots.get(directoryUrl);
        const slot = ca === undefined ? now : slotAt(ca, ca.given + before, now);
        const pausedUntil = pauses.ofAccount(directoryUrl) ?? now;
        const expectedAt = pausedUntil > slot ? pausedUntil : slot;
        return [domainId, { before, isMore: counted === null, expectedAt }];
      }),
    );
  }

  /** @returns null for a CA that does not limit orders */
  private async readSlots(
    db: Database,
    { directoryUrl, limits }: ConfiguredCa,
    domainIds: readonly string[],
    now: Date,
  ): Promise<CaSlots | null> {
    const limit = limits.find(({ kind }) => kind === 'orders');
    if (limit === undefined) return null;
    const [fullAt, queue] = await Promise.all([
      this.usage.findFullAt(db, directoryUrl, limit, now),
      this.queue.readState(db, directoryUrl, domainIds),
    ]);
    return { limit, fullAt, ...queue };
  }
}
