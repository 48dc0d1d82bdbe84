import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { certificateKeyBinding, type Attempt } from '@pets/contracts';
import { caLimitsOf, chooseCa, hasOtherCa, type CaLimit } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { seal } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { CaSelection } from './ca-selection.js';
import { CaUsageRepository } from './ca-usage.repository.js';
import { CertificateAttemptsRepository, type CertificateSubject } from './certificate-attempts.repository.js';
import { CertificatesRepository } from './certificates.repository.js';
import { decideOrders, type OrderDecisions } from './decide-orders.js';
import { OrderAccounts } from './order-accounts.js';
import { OrderQueueRepository, SLOT_LIFE_SECONDS } from './order-queue.repository.js';
import { createKeyAndCsr } from './x509.js';

/** An attempt that needs a CA. */
export type IssuanceAttempt = Attempt & CertificateSubject & { readonly organizationId: string };

export interface Plans<A extends IssuanceAttempt> {
  /** The orders to make. Their attempts are stored. */
  readonly orders: readonly {
    readonly attempt: A;
    readonly directoryUrl: string;
    readonly csrPem: string;
    readonly replaces: string | null;
  }[];
  /** Attempts that joined the queue of a directory. */
  readonly queued: readonly A[];
  readonly refusals: OrderDecisions<A>['refusals'];
}

/**
 * Chooses the CA of an attempt, and whether it may be used at all (docs/decisions/0015-ca-budget.md): gathers the stored
 * attempts, chooses (pure), and writes the reservations. For a directory with limits all of it is one transaction under a
 * lock, so that two replicas cannot both use the last order of a limit.
 */
@Injectable()
export class IssuancePlans {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ACME_DIRECTORY_URLS' | 'ACME_LIMITS' | 'CERTIFICATE_KEKS'>,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly usage: CaUsageRepository,
    private readonly certificates: CertificatesRepository,
    private readonly accounts: OrderAccounts,
    private readonly queue: OrderQueueRepository,
  ) {}

  /**
   * Decides twice, the first time without the lock: creating keys and requests takes longest, and happens only for attempts
   * that are likely to be ordered, while no other replica waits.
   */
  async reserve<A extends IssuanceAttempt>(attempts: readonly A[]): Promise<Plans<A>> {
    if (attempts.length === 0) return { orders: [], queued: [], refusals: [] };
    const inherited = await this.attempts.releaseStaleReservations(this.db, idsOf(attempts), SLOT_LIFE_SECONDS);
    const now = new Date();
    const preview = decideOrders(attempts, await this.loadSelection(this.db, attempts, now, inherited), now);
    const requests = await this.createRequests(preview.orders.map(({ attempt }) => attempt));
    return this.db.transaction().execute(async (tx) => {
      const { orders, queued, refusals } = await this.decideLocked(tx, preview, inherited);
      const reservations = orders.flatMap((order) => {
        const { name, apexName, organizationId } = order.attempt;
        const request = requests.get(order.attempt);
        return request === undefined ? [] : [{ ...order, name, apexName, organizationId, ...request }];
      });
      await this.attempts.reserve(tx, reservations, new Date());
      await this.queue.leave(tx, idsOf([...orders, ...refusals].map(({ attempt }) => attempt)));
      await this.queue.join(
        tx,
        queued.map(({ attempt, ...place }) => ({ ...attempt, ...place })),
      );
      return { orders: reservations, queued: queued.map(({ attempt }) => attempt), refusals };
    });
  }

  /** The CA from which each domain would get a certificate now, by domain id; the first one when none can be used. */
  async previewCa(subjects: readonly CertificateSubject[]): Promise<Map<string, string>> {
    if (subjects.length === 0) return new Map();
    const now = new Date();
    const selection = await this.loadSelection(this.db, subjects, now);
    const chosen = (subject: CertificateSubject) => {
      const choice = chooseCa(selection.candidatesFor(subject), now);
      return choice.kind === 'chosen' ? choice.directoryUrl : choice.candidate.directoryUrl;
    };
    return new Map(subjects.map((subject) => [subject.domainId, chosen(subject)]));
  }

  /** Whether another CA can be used immediately for a domain whose attempt was just recorded as failed. */
  async hasOtherCa(tx: Tx, subject: CertificateSubject, failedDirectoryUrl: string, now: Date): Promise<boolean> {
    if (this.config.ACME_DIRECTORY_URLS.every((url) => url === failedDirectoryUrl)) return false;
    const selection = await this.loadSelection(tx, [subject], now);
    return hasOtherCa(selection.candidatesFor(subject), failedDirectoryUrl, now);
  }

  /** Without limits, the preview is the decision. Attempts that wait by the preview join the queue. */
  private async decideLocked<A extends IssuanceAttempt>(
    tx: Tx,
    preview: OrderDecisions<A>,
    inherited: ReadonlySet<string>,
  ): Promise<OrderDecisions<A>> {
    const limited = this.config.ACME_DIRECTORY_URLS.filter((url) => this.limitsOf(url).length > 0);
    const attempts = preview.orders.map(({ attempt }) => attempt);
    if (limited.length === 0) return preview;
    await this.attempts.lock(tx, limited);
    if (attempts.length === 0) return preview;
    const now = new Date();
    const decided = decideOrders(attempts, await this.loadSelection(tx, attempts, now, inherited), now);
    return {
      orders: decided.orders,
      queued: [...preview.queued, ...decided.queued],
      refusals: [...preview.refusals, ...decided.refusals],
    };
  }

  private limitsOf(directoryUrl: string): readonly CaLimit[] {
    return caLimitsOf(directoryUrl, this.config.ACME_LIMITS);
  }

  private async loadSelection(
    db: Database,
    subjects: readonly CertificateSubject[],
    now: Date,
    inherited: ReadonlySet<string> = new Set(),
  ): Promise<CaSelection> {
    const { ACME_DIRECTORY_URLS: directoryUrls, ACME_LIMITS: configured } = this.config;
    const ids = idsOf(subjects);
    const names = subjects.map(({ name }) => name);
    const usageOf = async (url: string) =>
      [url, await this.usage.findUsage(db, url, this.limitsOf(url), subjects, now)] as const;
    const [newest, records, renewals, accounts, ...usages] = await Promise.all([
      this.certificates.findNewest(ids, db),
      this.attempts.listRecords(db, ids),
      this.attempts.findRenewals(db, directoryUrls, names),
      this.accounts.readAll(db, ids, now),
      ...directoryUrls.filter((url) => this.limitsOf(url).length > 0).map(usageOf),
    ]);
    return new CaSelection({
      directoryUrls,
      configured,
      newest,
      records,
      renewals,
      accounts,
      inherited,
      usage: new Map(usages),
      now,
    });
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
