/**
 * Gives free slots of the accounts to waiting orders, in the order of the queue. Every replica looks every second; the lock
 * of the directory makes sure that a slot is given once. Nothing else has to happen for an order to be placed, so a raised
 * limit, another clock or a replica that died need no special case.
 *
 * A slot is a mark of a row and a due schedule entry, written together. If the process dies after that, another one leases the
 * entry. If no order is reserved within `SLOT_LIFE_SECONDS`, the slot goes to another order, and the row waits again when its
 * entry is leased (`IssuancePlans.reserve`). While the CA refuses all orders of an account, it has no slots.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { isWorkHeld, type CaAccountRef } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { BackgroundTasks } from '../platform/background-tasks.js';
import { DATABASE } from '../platform/providers.js';
import { WorkRepository } from '../schedule/work.repository.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { OrderAccounts } from './order-accounts.js';
import { OrderQueueRepository, type NextOrder } from './order-queue.repository.js';

const ROUND_MS = 1_000;

/** Slots that one round gives, where a directory limits no orders or a limit was raised: the worker places some a second. */
const MAX_GIVEN = 200;

/** Orders that one round takes from a queue because they cannot be placed any more. */
const MAX_OBSOLETE = 200;

@Injectable()
export class OrderQueue implements OnModuleInit {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly tasks: BackgroundTasks,
    private readonly accounts: OrderAccounts,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly queue: OrderQueueRepository,
    private readonly work: WorkRepository,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: ROUND_MS, failure: 'order queue not served', run: () => this.serve() });
  }

  /** Serves all queues once. @returns how many slots were given */
  async serve(): Promise<number> {
    let given = 0;
    for (const account of await this.queue.listAccounts(this.db)) {
      const free = await this.accounts.countSlotsToGive(this.db, account, MAX_GIVEN, new Date());
      if (free > 0) given += await this.db.transaction().execute((tx) => this.serveLocked(tx, account));
    }
    return given;
  }

  private async serveLocked(tx: Tx, account: CaAccountRef): Promise<number> {
    await this.attempts.lock(tx, [account.directoryUrl]);
    const now = new Date();
    const free = await this.accounts.countSlotsToGive(tx, account, MAX_GIVEN, now);
    const next = await this.queue.listNext(tx, account, free + MAX_OBSOLETE);
    const { placeable, held, obsolete } = sortOut(next, now);
    const given = placeable.slice(0, free);
    await this.queue.giveSlots(tx, given);
    // The dispatcher holds the others until their suspension ends, and then they join the queue again.
    await this.work.makeDue(tx, [...given, ...held], 'issuance');
    await this.queue.leave(tx, [...held, ...obsolete]);
    await this.queue.forgetUnused(tx, account);
    return given.length;
  }
}

/** Orders of removed domains are obsolete, and those that were planned otherwise meanwhile, such as by an older version. */
export function sortOut(next: readonly NextOrder[], now: Date) {
  const isObsolete = ({ state, dueAt }: NextOrder) => state === 'removed' || (dueAt !== null && dueAt > now);
  const isHeld = (order: NextOrder) => isWorkHeld({ kind: 'issuance', ...order }, now);
  const idsOf = (orders: readonly NextOrder[]) => orders.map(({ domainId }) => domainId);
  const current = next.filter((order) => !isObsolete(order));
  return {
    placeable: idsOf(current.filter((order) => !isHeld(order))),
    held: idsOf(current.filter(isHeld)),
    obsolete: idsOf(next.filter(isObsolete)),
  };
}
