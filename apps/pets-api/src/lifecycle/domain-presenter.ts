import { Inject, Injectable } from '@nestjs/common';
import type { CertificateChoice, Domain } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE } from '../platform/providers.js';
import { CertificatesRepository, type DomainCertificates } from '../certificates/certificates.repository.js';
import { OrderLines } from '../certificates/order-lines.js';
import { WorkRepository, type WorkRow } from '../schedule/work.repository.js';
import type { DomainRow } from '../names/domain-row.js';
import { EdgeAcknowledgements } from '../names/edge-ports.js';
import type { DnsZones } from '../names/expected-dns.js';
import { PublicAddresses } from '../names/public-addresses.js';
import { presentCertificates, presentDomain, type DomainParts } from './present-domain.js';

/** Loads the facts of a presented domain that are not in its row. */
@Injectable()
export class DomainPresenter {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG)
    private readonly config: DnsZones & Pick<Config, 'REVERIFY_AFTER' | 'PREPARE_MAX_DAYS' | 'PLAN_GRACE_DAYS'>,
    private readonly work: WorkRepository,
    private readonly certificates: CertificatesRepository,
    @Inject(OrderLines) private readonly orders: Pick<OrderLines, 'findPositions'>,
    @Inject(EdgeAcknowledgements) private readonly acks: Pick<EdgeAcknowledgements, 'countPending'>,
    @Inject(PublicAddresses) private readonly addresses: Pick<PublicAddresses, 'offered'>,
  ) {}

  async presentOne(domain: DomainRow, db: Database = this.db): Promise<Domain> {
    const [presented] = await this.present([domain], db);
    if (presented === undefined) throw new Error('a domain was not presented');
    return presented;
  }

  async present(domains: readonly DomainRow[], db: Database = this.db): Promise<Domain[]> {
    return (await this.gather(domains, db)).map(presentDomain);
  }

  /** Presents the certificates of a domain, uploaded and automatic. */
  async presentCertificates(domain: DomainRow): Promise<CertificateChoice> {
    const [parts] = await this.gather([domain], this.db);
    if (parts === undefined) throw new Error('a domain was not gathered');
    return presentCertificates(parts);
  }

  private async gather(domains: readonly DomainRow[], db: Database): Promise<DomainParts[]> {
    const ids = domains.map(({ id }) => id);
    const [work, certificatesOf] = await Promise.all([
      this.work.listOf(ids, db),
      this.certificates.findCurrent(ids, db),
    ]);
    const now = new Date();
    const queue = await this.orders.findPositions(db, mayBeQueued(domains, work), now);
    const pendingEdges = await this.countPendingEdges(domains, db);
    return domains.map((domain) => ({
      domain,
      work: work.get(domain.id) ?? [],
      certificates: shownOf(domain, certificatesOf(domain.id)),
      pendingEdges: pendingEdges.get(domain.removedVersion) ?? 0,
      zones: this.config,
      offered: this.addresses.offered,
      reverifyAfterSeconds: this.config.REVERIFY_AFTER,
      prepareMaxDays: this.config.PREPARE_MAX_DAYS,
      planGraceDays: this.config.PLAN_GRACE_DAYS,
      queue: queue.get(domain.id),
      now,
    }));
  }

  /**
   * Counts pending edges by the feed version that ended the routes: domains that were removed together share one query.
   */
  private async countPendingEdges(domains: readonly DomainRow[], db: Database): Promise<Map<bigint | null, number>> {
    const pending = new Map<bigint | null, number>();
    for (const { removedVersion: version } of domains) {
      if (version === null || pending.has(version)) continue;
      pending.set(version, await this.acks.countPending(Number(version), db));
    }
    return pending;
  }
}

/** Uploads of a removed domain end soon after it. */
function shownOf({ state }: DomainRow, certificates: DomainCertificates): DomainCertificates {
  return state === 'removed' ? { ...certificates, own: null, uploads: [] } : certificates;
}

/** An order that waits in a queue is not due. */
function mayBeQueued(domains: readonly DomainRow[], work: ReadonlyMap<string, readonly WorkRow[]>): string[] {
  const isUnscheduled = (id: string) => work.get(id)?.some(({ kind, dueAt }) => kind === 'issuance' && dueAt === null);
  return domains.filter(({ id, state }) => state !== 'removed' && isUnscheduled(id)).map(({ id }) => id);
}
