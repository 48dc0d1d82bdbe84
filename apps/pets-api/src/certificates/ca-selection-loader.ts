import { Injectable } from '@nestjs/common';
import { CaSelection, type CertificateSubject } from '@pets/domains';
import type { Database } from '@pets/persistence';
import { EdgeFeed } from '../names/edge-ports.js';
import { CaPausesRepository, CaUsageRepository } from './ca-usage.repository.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { CertificateAuthorities } from './certificate-authorities.js';
import { CertificatesRepository, type IssuedCertificate } from './certificates.repository.js';
import { OrderLines } from './order-lines.js';

/** Facts that a caller knows already. */
interface KnownFacts {
  /** Slots of lost attempts that go to their successors: `<directory> <domain id>`. */
  readonly inherited?: ReadonlySet<string>;
  /** The newest certificates, of subjects that are no domains. */
  readonly newest?: ReadonlyMap<string, IssuedCertificate>;
  /** Thumbprint of the key that orders now. */
  readonly accountThumbprint?: string;
}

/** Gathers what the choice of a CA depends on. */
@Injectable()
export class CaSelectionLoader {
  constructor(
    private readonly cas: CertificateAuthorities,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly usage: CaUsageRepository,
    private readonly certificates: CertificatesRepository,
    private readonly lines: OrderLines,
    private readonly pauses: CaPausesRepository,
    private readonly feed: EdgeFeed,
  ) {}

  async load(
    db: Database,
    subjects: readonly CertificateSubject[],
    now: Date,
    known: KnownFacts = {},
  ): Promise<CaSelection> {
    const cas = this.cas.configured;
    const directoryUrls = cas.map(({ directoryUrl }) => directoryUrl);
    const ids = subjects.map(({ domainId }) => domainId);
    const names = subjects.map(({ name }) => name);
    const apexNames = subjects.map(({ apexName }) => apexName);
    const [newest, records, renewals, slots, admitted, pauses, usage, accountThumbprint] = await Promise.all([
      known.newest ?? this.certificates.findNewest(ids, db),
      this.attempts.listRecords(db, ids),
      this.attempts.findRenewals(db, directoryUrls, names),
      this.lines.readAll(db, cas, ids, now),
      this.lines.readAdmitted(db, subjects),
      this.pauses.find(db, apexNames, now),
      this.loadUsage(db, subjects, now),
      known.accountThumbprint ?? this.findThumbprint(db),
    ]);
    const found = { newest, records, renewals, slots, admitted, pauses, usage };
    return new CaSelection({ cas, accountThumbprint, inherited: known.inherited ?? new Set(), ...found, now });
  }

  private async findThumbprint(db: Database): Promise<string | null> {
    return (await this.feed.head(db)).thumbprint;
  }

  private async loadUsage(
    db: Database,
    subjects: readonly CertificateSubject[],
    now: Date,
  ): Promise<Map<string, readonly Date[]>> {
    const usage = new Map<string, readonly Date[]>();
    for (const { directoryUrl, limits } of this.cas.configured)
      for (const { subject, times } of await this.usage.findUsage(db, directoryUrl, limits, subjects, now))
        usage.set(`${directoryUrl} ${subject}`, times);
    return usage;
  }
}
