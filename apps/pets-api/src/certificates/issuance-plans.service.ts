import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { certificateKeyBinding, type Attempt } from '@pets/contracts';
import { chooseCa, decideOrders, hasOtherCa, type CertificateSubject, type OrderDecisions } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { seal } from '@pets/platform';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE } from '../platform/providers.js';
import { CaSelectionLoader } from './ca-selection-loader.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { CertificateAuthorities } from './certificate-authorities.js';
import { LimitedDomainsRepository } from './limited-domains.repository.js';
import { CA_LINE, OrderQueueRepository, SLOT_LIFE_SECONDS } from './order-queue.repository.js';
import { createKeyAndCsr } from './x509.js';

/** An attempt that needs a CA. */
export type IssuanceAttempt = Attempt & CertificateSubject & { readonly organizationId: string };

export interface Plans<A extends IssuanceAttempt> {
  /** The orders to make. Their attempts are stored. */
  readonly orders: readonly {
    readonly attempt: A;
    readonly directoryUrl: string;
    readonly accountThumbprint: string;
    readonly csrPem: string;
    readonly replaces: string | null;
  }[];
  /** Attempts that joined the line of a CA. */
  readonly queued: readonly A[];
  /** Attempts that joined the line of their registered domain. */
  readonly parked: OrderDecisions<A>['parked'];
  readonly refusals: OrderDecisions<A>['refusals'];
}

/**
 * Chooses the CA of an attempt, and whether it may be used at all (docs/decisions/0015-ca-budget.md): gathers the stored
 * attempts, chooses (pure), and writes the reservations. For a CA with limits all of it is one transaction under a lock, so
 * that two replicas cannot both use the last order of a limit.
 */
@Injectable()
export class IssuancePlans {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    private readonly cas: CertificateAuthorities,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly selections: CaSelectionLoader,
    private readonly queue: OrderQueueRepository,
    private readonly limited: LimitedDomainsRepository,
  ) {}

  /**
   * Decides twice, the first time without the lock: creating keys and requests takes longest, and happens only for attempts
   * that are likely to be ordered, while no other replica waits.
   * @param accountThumbprint of the key that orders now
   */
  async reserve<A extends IssuanceAttempt>(attempts: readonly A[], accountThumbprint: string): Promise<Plans<A>> {
    if (attempts.length === 0) return { orders: [], queued: [], parked: [], refusals: [] };
    const inherited = await this.attempts.releaseStaleReservations(this.db, idsOf(attempts), SLOT_LIFE_SECONDS);
    const now = new Date();
    const known = { inherited, accountThumbprint };
    const preview = decideOrders(attempts, await this.selections.load(this.db, attempts, now, known), now);
    const requests = await this.createRequests(preview.orders.map(({ attempt }) => attempt));
    return this.db.transaction().execute(async (tx) => {
      const { orders, queued, parked, refusals } = await this.decideLocked(tx, preview, known);
      const reservations = orders.flatMap((order) => {
        const { name, apexName, organizationId } = order.attempt;
        const request = requests.get(order.attempt);
        return request === undefined
          ? []
          : [{ ...order, accountThumbprint, name, apexName, organizationId, ...request }];
      });
      await this.attempts.reserve(tx, reservations, new Date());
      await this.queue.leave(tx, idsOf([...orders, ...refusals].map(({ attempt }) => attempt)));
      await this.wait(tx, queued, parked);
      return { orders: reservations, queued: queued.map(({ attempt }) => attempt), parked, refusals };
    });
  }

  /** The directory of the CA from which each domain would get a certificate now, by domain id; the soonest when none can be used. */
  async previewCa(subjects: readonly CertificateSubject[]): Promise<Map<string, string>> {
    if (subjects.length === 0) return new Map();
    const now = new Date();
    const selection = await this.selections.load(this.db, subjects, now);
    const chosen = (subject: CertificateSubject) => chooseCa(selection.candidatesFor(subject), now).candidate;
    return new Map(subjects.map((subject) => [subject.domainId, chosen(subject).directoryUrl]));
  }

  /** Whether another CA can be used immediately for a domain whose attempt was just recorded as failed. */
  async hasOtherCa(tx: Tx, subject: CertificateSubject, failed: string, now: Date): Promise<boolean> {
    if (this.cas.configured.length === 1) return false;
    const selection = await this.selections.load(tx, [subject], now);
    return hasOtherCa(selection.candidatesFor(subject), failed, now);
  }

  /** Lets attempts wait in the line of their CA, or in that of their registered domain. */
  private async wait<A extends IssuanceAttempt>(
    tx: Tx,
    queued: OrderDecisions<A>['queued'],
    parked: OrderDecisions<A>['parked'],
  ): Promise<void> {
    await this.attempts.lock(tx, new Set([...queued, ...parked].map(({ directoryUrl }) => directoryUrl)));
    await this.queue.join(tx, [
      ...queued.map(({ attempt, ...place }) => ({ ...attempt, ...place, line: CA_LINE })),
      ...parked.map(({ attempt, ...place }) => ({ ...attempt, ...place, line: attempt.apexName })),
    ]);
    await this.limited.addLimited(
      tx,
      parked.map(({ attempt: { apexName }, directoryUrl, until }) => ({ apexName, directoryUrl, until })),
    );
  }

  /**
   * Decides again, if CAs have limits; otherwise the preview is the decision. Attempts that were to wait have no request, so they
   * wait at least for a slot.
   */
  private async decideLocked<A extends IssuanceAttempt>(
    tx: Tx,
    preview: OrderDecisions<A>,
    known: Parameters<CaSelectionLoader['load']>[3],
  ): Promise<OrderDecisions<A>> {
    const { limitedUrls } = this.cas;
    if (limitedUrls.length === 0) return preview;
    await this.attempts.lock(tx, limitedUrls);
    const prepared = new Set(preview.orders.map(({ attempt }) => attempt));
    const waiting = [...preview.queued, ...preview.parked].map(({ attempt }) => attempt);
    const attempts = [...prepared, ...waiting];
    if (attempts.length === 0) return preview;
    const now = new Date();
    const selection = await this.selections.load(tx, attempts, now, known);
    const decided = decideOrders(attempts, selection, now, (attempt) => prepared.has(attempt));
    return { ...decided, refusals: [...preview.refusals, ...decided.refusals] };
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
