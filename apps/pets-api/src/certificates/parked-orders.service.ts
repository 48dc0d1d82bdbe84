/**
 * Releases orders below registered domains that are at the limit of a CA, as many as it allows. Ten thousand names below one
 * registered domain would otherwise all be due when the first of fifty orders leaves the window of a week.
 *
 * Every replica looks every second for registered domains whose time has come. The limit is evaluated then, so a raised limit,
 * released orders that were never placed and a CA that ends its pause early only have to be looked at: at least every
 * `RECHECK_MS`. A release is a mark of a row and a due schedule entry, written together; after a crash another replica leases
 * the entry.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { limitEnd } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { BackgroundTasks } from '../platform/background-tasks.js';
import { DATABASE } from '../platform/providers.js';
import { WorkRepository } from '../schedule/work.repository.js';
import { CaPausesRepository } from './ca-pauses.repository.js';
import { CaUsageRepository } from './ca-usage.repository.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { sortOut } from './order-queue.service.js';
import { ParkedOrdersRepository, type LimitedDomain } from './parked-orders.repository.js';
import { UsableAccounts } from './usable-accounts.js';

const ROUND_MS = 1_000;

/** Registered domains that one round looks at: each takes a few milliseconds under the lock of the directory. */
const MAX_DOMAINS = 20;

const RECHECK_MS = 5 * 60_000;

/** After a release, whose orders may fail before they are placed. */
const RECHECK_RELEASED_MS = 60_000;

/** Orders that one round releases where a CA no longer limits the registered domain. */
const MAX_RELEASED = 100;

/** Orders that one round takes out because they cannot be placed any more. */
const MAX_OBSOLETE = 100;

/** Pauses that ended are deleted so often. */
const FORGET_MS = 10 * 60_000;

@Injectable()
export class ParkedOrders implements OnModuleInit {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly tasks: BackgroundTasks,
    private readonly accounts: UsableAccounts,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly usage: CaUsageRepository,
    private readonly pauses: CaPausesRepository,
    private readonly parked: ParkedOrdersRepository,
    private readonly work: WorkRepository,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: ROUND_MS, failure: 'parked orders not served', run: () => this.serve() });
    const forget = () => this.pauses.forgetEnded(this.db);
    this.tasks.repeat({ everyMs: FORGET_MS, failure: 'pauses of CAs not deleted', run: forget });
  }

  /** @returns how many orders were released */
  async serve(): Promise<number> {
    let released = 0;
    for (const limited of await this.parked.listDue(this.db, MAX_DOMAINS))
      released += await this.db.transaction().execute((tx) => this.serveLocked(tx, limited));
    return released;
  }

  private async serveLocked(tx: Tx, limited: LimitedDomain): Promise<number> {
    await this.attempts.lock(tx, [limited.directoryUrl]);
    if (!(await this.parked.isDue(tx, limited))) return 0;
    const now = new Date();
    const { free, endsAt } = await this.readRoom(tx, limited, now);
    const next = await this.parked.listNext(tx, limited, free + MAX_OBSOLETE);
    const { placeable, held, obsolete } = sortOut(next, now);
    const released = placeable.slice(0, free);
    await this.parked.release(tx, released);
    // The dispatcher holds the others until their suspension ends, and then they are parked again.
    await this.work.makeDue(tx, [...released, ...held], 'issuance');
    await this.parked.leave(tx, [...held, ...obsolete]);
    if (await this.parked.forgetEmpty(tx, limited)) return released.length;
    const recheckAt = now.getTime() + (released.length > 0 ? RECHECK_RELEASED_MS : RECHECK_MS);
    await this.parked.checkAgain(tx, limited, new Date(Math.min(recheckAt, endsAt?.getTime() ?? recheckAt)));
    return released.length;
  }

  /** How many orders the CA allows now, and when it allows the next one if it allows none. */
  private async readRoom(
    tx: Tx,
    limited: LimitedDomain,
    now: Date,
  ): Promise<{ readonly free: number; readonly endsAt: Date | null }> {
    const { directoryUrl, apexName } = limited;
    const pausedUntil = (await this.pauses.find(tx, [apexName], now)).ofApex(directoryUrl, apexName);
    if (pausedUntil !== null) return { free: 0, endsAt: pausedUntil };
    const account = this.accounts.configured.find((one) => one.directoryUrl === directoryUrl);
    const limit = account?.limits.find(({ kind }) => kind === 'registered_domain');
    if (account === undefined || limit === undefined) return { free: MAX_RELEASED, endsAt: null };
    const subject = { domainId: '', name: apexName, apexName };
    const [used] = await this.usage.findUsage(tx, account, [limit], [subject], now);
    const times = used?.times ?? [];
    const free = Math.max(0, limit.max - times.length - (await this.parked.countReleased(tx, limited)));
    return { free, endsAt: limitEnd(limit, times, now) };
  }
}
