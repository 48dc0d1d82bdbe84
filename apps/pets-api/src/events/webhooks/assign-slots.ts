/**
 * Chooses the due deliveries that are sent next. Workers have slots, and a receiver may hold one for twenty seconds, so
 * organizations share them: nobody knows of a new receiver how long it takes.
 *
 * The share of an organization falls with the square of the free slots (after the "dynamic thresholds" of Choudhury and
 * Hahne, 1998, where it falls with their number). Alone it gets a quarter of all. After n organizations that give none
 * back, about 1/(1 + n/2) is free: enough for the organization that comes next. The one with the fewest slots is first.
 */

/** Slot that a request occupies while it is under way. */
export interface Slot {
  readonly organizationId: string;
  readonly endpointId: string;
  /** The origin of the URL: endpoints of many organizations may have the same. */
  readonly receiver: string;
  /** Whether the endpoint did not answer in time lately: such endpoints share a few slots. */
  readonly isSlow: boolean;
}

export interface DueDelivery extends Slot {
  readonly deliveryId: string;
  readonly dueAt: Date;
}

/** Slots of all workers together. */
export interface SlotLimits {
  readonly total: number;
  /** Concurrent requests to one receiver. */
  readonly perReceiver: number;
}

/** Concurrent requests to one endpoint. */
export const MAX_PER_ENDPOINT = 8;
const MAX_PER_SLOW_ENDPOINT = 1;

/** Share of the slots that is for slow endpoints, and for nothing else. */
const SLOW_SHARE = 1 / 16;

/** Share of a lane that an organization gets if it is alone. */
const SHARE_OF_LANE = 1 / 4;
/** Share of the requests to one receiver, which most organizations do not share. */
const SHARE_OF_RECEIVER = 1 / 2;

/** The slots that are taken, and who may take another one. */
export class SlotUse {
  readonly #counts = new Map<string, number>();

  constructor(
    taken: readonly Slot[],
    private readonly limits: SlotLimits,
  ) {
    for (const slot of taken) this.take(slot);
  }

  take(slot: Slot): void {
    for (const key of [laneOf(slot), organizationOf(slot), endpointOf(slot), receiverOf(slot), senderOf(slot)])
      this.#counts.set(key, this.#count(key) + 1);
  }

  /** Slots of the organization in the lane of the slot. */
  countOrganization(slot: Pick<Slot, 'organizationId' | 'isSlow'>): number {
    return this.#count(organizationOf(slot));
  }

  countEndpoint(slot: Pick<Slot, 'endpointId'>): number {
    return this.#count(endpointOf(slot));
  }

  /** Whether the organization has its share of a lane. */
  hasShare(slot: Pick<Slot, 'organizationId' | 'isSlow'>): boolean {
    const slow = Math.max(Math.floor(this.limits.total * SLOW_SHARE), 1);
    const lane = {
      total: slot.isSlow ? slow : Math.max(this.limits.total - slow, 1),
      taken: this.#count(laneOf(slot)),
    };
    return this.countOrganization(slot) >= shareOf(lane, SHARE_OF_LANE);
  }

  mayTake(slot: Slot): boolean {
    const receiver = { total: this.limits.perReceiver, taken: this.#count(receiverOf(slot)) };
    return (
      this.countEndpoint(slot) < (slot.isSlow ? MAX_PER_SLOW_ENDPOINT : MAX_PER_ENDPOINT) &&
      this.#count(senderOf(slot)) < shareOf(receiver, SHARE_OF_RECEIVER) &&
      !this.hasShare(slot)
    );
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

const laneOf = ({ isSlow }: Pick<Slot, 'isSlow'>) => (isSlow ? 'slow' : 'lane');
const organizationOf = (slot: Pick<Slot, 'organizationId' | 'isSlow'>) => `${laneOf(slot)} ${slot.organizationId}`;
const endpointOf = ({ endpointId }: Pick<Slot, 'endpointId'>) => `endpoint ${endpointId}`;
const receiverOf = ({ receiver }: Pick<Slot, 'receiver'>) => `receiver ${receiver}`;
const senderOf = ({ organizationId, receiver }: Pick<Slot, 'organizationId' | 'receiver'>) =>
  `sender ${organizationId} ${receiver}`;

/**
 * Returns the share of slots when so many are taken: one if any is free, and `alone` of them if it takes the only ones.
 */
function shareOf({ total, taken }: { readonly total: number; readonly taken: number }, alone: number): number {
  const free = Math.max(total - taken, 0) / total;
  return free === 0 ? 0 : Math.max(Math.floor((total * alone * free ** 2) / (1 - alone) ** 2), 1);
}

/**
 * Gives slots to due deliveries, at most `limit`, and marks them as taken. Of an endpoint the oldest is first, of an
 * organization the endpoint with the fewest slots, and before all others the organization with the fewest.
 */
export function assignSlots(due: readonly DueDelivery[], use: SlotUse, limit: number): DueDelivery[] {
  const assigned: DueDelivery[] = [];
  let open = [...due].sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
  while (assigned.length < limit) {
    open = open.filter((delivery) => use.mayTake(delivery));
    // One for each organization in a pass, in the order of their slots.
    const firsts = firstOfEach(open, use);
    if (firsts.length === 0) return assigned;
    const fewest = Math.min(...firsts.map((delivery) => use.countOrganization(delivery)));
    const taken = new Set<DueDelivery>();
    for (const delivery of firsts) {
      if (use.countOrganization(delivery) > fewest || assigned.length >= limit || !use.mayTake(delivery)) continue;
      use.take(delivery);
      taken.add(delivery);
      assigned.push(delivery);
    }
    open = open.filter((delivery) => !taken.has(delivery));
  }
  return assigned;
}

/** Returns the next delivery of each organization in each lane. */
function firstOfEach(open: readonly DueDelivery[], use: SlotUse): DueDelivery[] {
  const firsts = new Map<string, DueDelivery>();
  for (const delivery of open) {
    const first = firsts.get(organizationOf(delivery));
    if (first === undefined || use.countEndpoint(delivery) < use.countEndpoint(first))
      firsts.set(organizationOf(delivery), delivery);
  }
  return [...firsts.values()];
}
