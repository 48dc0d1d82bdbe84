import { Inject, Injectable } from '@nestjs/common';
import {
  chooseCertificate,
  jitterOf,
  later,
  mayRenew,
  targetHostFor,
  type ActiveOwnCertificate,
  type DomainFacts,
  type ValidityPeriod,
  type WorkKind,
} from '@pets/domains';
import type { Tx } from '@pets/persistence';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { CertificateAttemptsRepository } from '../certificates/certificate-attempts.repository.js';
import { CertificatesRepository, type IssuedCertificate } from '../certificates/certificates.repository.js';
import { WorkRepository, type WorkRow } from '../schedule/work.repository.js';
import type { DomainRow } from '../names/domain-row.js';
import { delegationOf, type DnsZones } from '../names/expected-dns.js';

/** Sources of the facts of a domain, besides its row. */
export interface FactSources {
  readonly entries: readonly WorkRow[];
  readonly certificate: (ValidityPeriod & Pick<IssuedCertificate, 'method'>) | null;
  /** The active uploaded one. */
  readonly own: ActiveOwnCertificate | null;
  readonly ordersAt: readonly Date[];
  readonly zones: DnsZones;
  readonly reverifyAfterSeconds: number;
  readonly prepareMaxDays: number;
  readonly now: Date;
}

/** Reads what the facts of domains are made from, besides their rows. */
@Injectable()
export class FactSourcesReader {
  constructor(
    @Inject(CONFIG) private readonly config: DnsZones & Pick<Config, 'REVERIFY_AFTER' | 'PREPARE_MAX_DAYS'>,
    private readonly work: WorkRepository,
    private readonly certificates: CertificatesRepository,
    private readonly attempts: CertificateAttemptsRepository,
  ) {}

  /** @param idsWithOrders ids of domains whose recent orders may matter, which is rare; only these are read */
  async readSources(
    tx: Tx,
    domains: readonly DomainRow[],
    idsWithOrders: ReadonlySet<string>,
    now: Date,
  ): Promise<(domain: DomainRow) => FactSources> {
    const ids = domains.map(({ id }) => id);
    const entries = await this.work.listOf(ids, tx);
    const certificatesOf = await this.certificates.findCurrent(ids, tx);
    const withOrders = domains.filter(
      ({ id, certificateIssues, preparedAt }) =>
        idsWithOrders.has(id) || certificateIssues.length > 0 || preparedAt !== null,
    );
    const orders = await this.attempts.findOrders(
      withOrders.map(({ id }) => id),
      now,
      tx,
    );
    const { REVERIFY_AFTER: reverifyAfterSeconds, PREPARE_MAX_DAYS: prepareMaxDays } = this.config;
    return ({ id }) => {
      const { automatic, own } = certificatesOf(id);
      return {
        entries: entries.get(id) ?? [],
        certificate: automatic,
        own,
        ordersAt: orders.get(id) ?? [],
        zones: this.config,
        reverifyAfterSeconds,
        prepareMaxDays,
        now,
      };
    };
  }
}

export function hasCertificate({ certificate, own }: FactSources): boolean {
  return certificate !== null || own !== null;
}

/** The newer time of a DNS check: one that changes nothing is written to its schedule entry alone. */
export function newerCheck(one: Date | null, other: Date | null): Date | null {
  return one === null ? other : later(one, other);
}

/** The facts for a transition of a domain. @param kind of the work whose result is applied; null for a request */
export function buildFacts(domain: DomainRow, sources: FactSources, kind: WorkKind | null): DomainFacts {
  const { entries, certificate, own, ordersAt, now } = sources;
  const entryOf = (of: WorkKind | null) => entries.find((entry) => entry.kind === of);
  const issuance = entryOf('issuance');
  const dns = entryOf('dns');
  return {
    ...domain,
    targetHost: targetHostFor(domain.targetToken, sources.zones.PLATFORM_DOMAIN),
    delegation: delegationOf(domain, sources.zones),
    isDangling: domain.dnsIssues.some(({ code }) => code === 'dangling_record'),
    jitter: jitterOf(domain.id),
    failuresInARow: entryOf(kind)?.failuresInARow ?? 0,
    certificate,
    ownCertificate: chooseCertificate(own, certificate, now) === 'own' ? own : null,
    certificateMethod: certificate?.method ?? null,
    prepareMaxDays: sources.prepareMaxDays,
    mayRenew: mayRenew(domain.suspensions, now),
    overdueAfterMs: sources.reverifyAfterSeconds * 1000,
    issuance: {
      dueAt: issuance?.dueAt ?? null,
      isUnderWay: issuance?.leaseUntil != null && issuance.leaseUntil > now,
      failuresInARow: issuance?.failuresInARow ?? 0,
    },
    dnsDueAt: dns?.dueAt ?? null,
    checkedAt: newerCheck(domain.checkedAt, dns?.checkedAt ?? null),
    unchangedChecks: dns?.unchangedChecks ?? 0,
    ordersAt,
  };
}
