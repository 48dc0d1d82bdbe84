import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { certificateKeyBinding, type Attempt } from '@pets/contracts';
import {
  chooseCa,
  decideOrders,
  hasOtherCa,
  type CaAccountRef,
  type CertificateSubject,
  type OrderDecisions,
} from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { seal } from '@pets/platform';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE } from '../platform/providers.js';
import { CaSelections } from './ca-selections.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { OrderQueueRepository, SLOT_LIFE_SECONDS } from './order-queue.repository.js';
import { ParkedOrdersRepository } from './parked-orders.repository.js';
import { UsableAccounts } from './usable-accounts.js';
import { createKeyAndCsr } from './x509.js';

/** An attempt that needs a CA. */
export type IssuanceAttempt = Attempt & CertificateSubject & { readonly organizationId: string };

export interface Plans<A extends IssuanceAttempt> {
  /** The orders to make. Their attempts are stored. */
  readonly orders: readonly {
    readonly attempt: A;
    readonly directoryUrl: string;
    readonly account: string;
    /** That the route has to name; null for that of the feed. */
    readonly thumbprint: string | null;
    readonly csrPem: string;
    readonly replaces: string | null;
  }[];
  /** Attempts that joined the queue of an account. */
  readonly queued: readonly A[];
  /** Attempts that wait for others below their registered domain. */
  readonly parked: OrderDecisions<A>['parked'];
  readonly refusals: OrderDecisions<A>['refusals'];
}

/**
 * Chooses the account of an attempt, and whether it may be used at all (docs/decisions/0015-ca-budget.md): gathers the stored
 * attempts, chooses (pure), and writes the reservations. For a directory with limits all of it is one transaction under a
 * lock, so that two replicas cannot both use the last order of a limit. Its accounts share the lock, since they share limits.
 */
@Injectable()
export class IssuancePlans {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    private readonly usable: UsableAccounts,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly selections: CaSelections,
    private readonly queue: OrderQueueRepository,
    private readonly parked: ParkedOrdersRepository,
  ) {}

  /**
   * Decides twice, the first time without the lock: creating keys and requests takes longest, and happens only for attempts
   * that are likely to be ordered, while no other replica waits.
   */
  async reserve<A extends IssuanceAttempt>(attempts: readonly A[]): Promise<Plans<A>> {
    if (attempts.length === 0) return { orders: [], queued: [], parked: [], refusals: [] };
    const inherited = await this.attempts.releaseStaleReservations(this.db, idsOf(attempts), SLOT_LIFE_SECONDS);
    const now = new Date();
    const preview = decideOrders(attempts, await this.selections.load(this.db, attempts, now, inherited), now);
    const requests = await this.createRequests(preview.orders.map(({ attempt }) => attempt));
    return this.db.transaction().execute(async (tx) => {
      const { orders, queued, parked, refusals } = await this.decideLocked(tx, preview, inherited);
      const reservations = orders.flatMap((order) => {
        const { name, apexName, organizationId } = order.attempt;
        const request = requests.get(order.attempt);
        return request === undefined ? [] : [{ ...order, name, apexName, organizationId, ...request }];
      });
      await this.attempts.reserve(tx, reservations, new Date());
      await this.queue.leave(tx, idsOf([...orders, ...parked, ...refusals].map(({ attempt }) => attempt)));
      await this.parked.leave(tx, idsOf([...orders, ...refusals].map(({ attempt }) => attempt)));
      await this.parked.park(
        tx,
        parked.map(({ attempt: { domainId, apexName }, directoryUrl, rank, until }) => {
          return { domainId, apexName, directoryUrl, rank, until };
        }),
      );
      await this.queue.join(
        tx,
        queued.map(({ attempt, ...place }) => ({ ...attempt, ...place })),
      );
      return { orders: reservations, queued: queued.map(({ attempt }) => attempt), parked, refusals };
    });
  }

  /** The account from which each domain would get a certificate now, by domain id; the soonest when none can be used. */
  async previewCa(subjects: readonly CertificateSubject[]): Promise<Map<string, CaAccountRef>> {
    if (subjects.length === 0) return new Map();
    const now = new Date();
    const selection = await this.selections.load(this.db, subjects, now);
    const chosen = (subject: CertificateSubject): CaAccountRef => {
      const { directoryUrl, account } = chooseCa(selection.candidatesFor(subject), now).candidate;
      return { directoryUrl, account };
    };
    return new Map(subjects.map((subject) => [subject.domainId, chosen(subject)]));
  }

  /** Whether another account can be used immediately for a domain whose attempt was just recorded as failed. */
  async hasOtherCa(tx: Tx, subject: CertificateSubject, failed: CaAccountRef, now: Date): Promise<boolean> {
    if (this.usable.configured.length === 1) return false;
    const selection = await this.selections.load(tx, [subject], now);
    return hasOtherCa(selection.candidatesFor(subject), failed, now);
  }

  /** Without limits, the preview is the decision. Attempts that wait by the preview join a queue. */
  private async decideLocked<A extends IssuanceAttempt>(
    tx: Tx,
    preview: OrderDecisions<A>,
    inherited: ReadonlySet<string>,
  ): Promise<OrderDecisions<A>> {
    const limited = this.usable.configured.filter(({ limits }) => limits.length > 0);
    const attempts = preview.orders.map(({ attempt }) => attempt);
    if (limited.length === 0) return preview;
    await this.attempts.lock(tx, new Set(limited.map(({ directoryUrl }) => directoryUrl)));
    if (attempts.length === 0) return preview;
    const now = new Date();
    const decided = decideOrders(attempts, await this.selections.load(tx, attempts, now, inherited), now);
    return {
      orders: decided.orders,
      queued: [...preview.queued, ...decided.queued],
      parked: [...preview.parked, ...decided.parked],
      refusals: [...preview.refusals, ...decided.refusals],
    };
  }

  private async createRequests<A extends IssuanceAttempt>(attempts: readonly A[]) {
    const created = attempts.map(async (attempt) => {
      const id = randomUUID();
      const { keyPem, csrPem } = await createKeyAndCsr(attempt.name);
      const binding = certificateKeyBinding(id, attempt.organizationId);
      return [attempt, { id, csrPem, sealedKey: seal(this.config.CERTIFICATE_KEKS, keyPem, binding) }] as const;
    });
    return new Map(await Promise.all(created));
  }
}

function idsOf(subjects: readonly CertificateSubject[]): string[] {
  return subjects.map(({ domainId }) => domainId);
}
