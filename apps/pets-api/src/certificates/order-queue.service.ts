/**
 * Serves the queue of orders. A waiting order passes two lines. Below a registered domain that is at the limit of a CA, it
 * waits in the line of that registered domain, and is admitted to the line of the CA as the limit allows: ten thousand names
 * below one registered domain would otherwise all be claimed when the first of fifty orders leaves the window of a week. In the
 * line of the CA it waits for a slot. Nothing is read or written of the orders behind those that move.
 *
 * Every replica looks every second; the lock of the directory makes sure that a place is given once. Limits are evaluated
 * then, so that a raised limit, another clock, a pause that ends early or a replica that died need no special case.
 *
 * A slot is a mark of a row and a due schedule entry, written together. If the process dies after that, another one leases the
 * entry. If no order is reserved within `SLOT_LIFE_SECONDS`, the slot goes to another order, and the row waits again when its
 * entry is leased (`IssuancePlans.reserve`). While the CA refuses all our orders, it has no slots.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { isWorkHeld } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { BackgroundTasks } from '../platform/background-tasks.js';
import { DATABASE } from '../platform/providers.js';
import { WorkRepository } from '../schedule/work.repository.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { LimitedDomainsRepository, type LimitedDomain } from './limited-domains.repository.js';
import { OrderLines } from './order-lines.js';
import { CA_LINE, OrderQueueRepository, type NextOrder, type OrderLine } from './order-queue.repository.js';

const ROUND_MS = 1_000;

/** Slots that one round gives, where a directory limits no orders or a limit was raised: the worker places some a second. */
const MAX_GIVEN = 200;

/** Registered domains that one round looks at: each takes a few milliseconds under the lock of the directory. */
const MAX_DOMAINS = 20;

/** Orders that one round admits where a CA no longer limits the registered domain. */
const MAX_ADMITTED = 100;

/** Orders that one round takes from a line because they cannot be placed any more. */
const MAX_OBSOLETE = 200;

const RECHECK_MS = 5 * 60_000;

/** After orders were admitted, which may fail before they are placed. */
const RECHECK_ADMITTED_MS = 60_000;

@Injectable()
export class OrderQueue implements OnModuleInit {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly tasks: BackgroundTasks,
    private readonly lines: OrderLines,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly queue: OrderQueueRepository,
    private readonly limited: LimitedDomainsRepository,
    private readonly work: WorkRepository,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: ROUND_MS, failure: 'order queue not served', run: () => this.serve() });
  }

  /** Serves all lines once. @returns how many slots were given */
  async serve(): Promise<number> {
    for (const limited of await this.limited.listDue(this.db, MAX_DOMAINS))
      await this.locked(limited.directoryUrl, (tx, now) => this.admit(tx, limited, now));
    let given = 0;
    for (const directoryUrl of await this.queue.listDirectories(this.db)) {
      const free = await this.lines.countSlotsToGive(this.db, directoryUrl, MAX_GIVEN, new Date());
      if (free > 0) given += await this.locked(directoryUrl, (tx, now) => this.giveSlots(tx, directoryUrl, now));
    }
    return given;
  }

  private locked<Result>(directoryUrl: string, serve: (tx: Tx, now: Date) => Promise<Result>): Promise<Result> {
    return this.db.transaction().execute(async (tx) => {
      await this.attempts.lock(tx, [directoryUrl]);
      return serve(tx, new Date());
    });
  }

  private async giveSlots(tx: Tx, directoryUrl: string, now: Date): Promise<number> {
    const free = await this.lines.countSlotsToGive(tx, directoryUrl, MAX_GIVEN, now);
    const given = await this.takeNext(tx, { directoryUrl, line: CA_LINE }, free, now);
    await this.queue.giveSlots(tx, given);
    await this.work.makeDue(tx, given, 'issuance');
    await this.queue.forgetUnused(tx, directoryUrl);
    return given.length;
  }

  private async admit(tx: Tx, limited: LimitedDomain, now: Date): Promise<void> {
    if (!(await this.limited.isDue(tx, limited))) return;
    const { free, endsAt } = await this.lines.readRoom(tx, limited, MAX_ADMITTED, now);
    const { directoryUrl, apexName: line } = limited;
    const admitted = await this.takeNext(tx, { directoryUrl, line }, free, now);
    await this.queue.admit(tx, admitted);
    if (await this.limited.forgetEmpty(tx, limited)) return;
    const recheckAt = now.getTime() + (admitted.length > 0 ? RECHECK_ADMITTED_MS : RECHECK_MS);
    await this.limited.checkAgain(tx, limited, new Date(Math.min(recheckAt, endsAt?.getTime() ?? recheckAt)));
  }

  /** The first orders of a line that can be placed. Those before them that cannot leave it. */
  private async takeNext(tx: Tx, line: OrderLine, count: number, now: Date): Promise<readonly string[]> {
    const next = await this.queue.listNext(tx, line, count + MAX_OBSOLETE);
    const { placeable, held, obsolete } = sortOut(next, now);
    // The dispatcher holds them until their suspension ends, and then they join the queue again.
    await this.work.makeDue(tx, held, 'issuance');
    await this.queue.leave(tx, [...held, ...obsolete]);
    return placeable.slice(0, count);
  }
}

/** Orders of removed domains are obsolete, and those that were planned otherwise meanwhile, such as by an older version. */
function sortOut(next: readonly NextOrder[], now: Date) {
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
