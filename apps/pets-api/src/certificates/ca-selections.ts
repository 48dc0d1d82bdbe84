import { Injectable } from '@nestjs/common';
import { CaSelection, usageScope, type CaAccount, type CertificateSubject } from '@pets/domains';
import type { Database } from '@pets/persistence';
import { CaPausesRepository } from './ca-pauses.repository.js';
import { CaUsageRepository } from './ca-usage.repository.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { CertificatesRepository, type IssuedCertificate } from './certificates.repository.js';
import { OrderAccounts } from './order-accounts.js';
import { UsableAccounts } from './usable-accounts.js';

/** Gathers what the choice of an account depends on. */
@Injectable()
export class CaSelections {
  constructor(
    private readonly usable: UsableAccounts,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly usage: CaUsageRepository,
    private readonly certificates: CertificatesRepository,
    private readonly accounts: OrderAccounts,
    private readonly pauses: CaPausesRepository,
  ) {}

  /**
   * @param inherited slots of lost attempts that go to their successors: `<account id> <domain id>`
   * @param known the newest certificates, of subjects that are no domains
   */
  async load(
    db: Database,
    subjects: readonly CertificateSubject[],
    now: Date,
    inherited: ReadonlySet<string> = new Set(),
    known?: ReadonlyMap<string, IssuedCertificate>,
  ): Promise<CaSelection> {
    const accounts = await this.usable.list();
    const directoryUrls = [...new Set(accounts.map(({ directoryUrl }) => directoryUrl))];
    const ids = subjects.map(({ domainId }) => domainId);
    const names = subjects.map(({ name }) => name);
    const apexNames = subjects.map(({ apexName }) => apexName);
    const [newest, records, renewals, slots, pauses, usage] = await Promise.all([
      known ?? this.certificates.findNewest(ids, db),
      this.attempts.listRecords(db, ids),
      this.attempts.findRenewals(db, directoryUrls, names),
      this.accounts.readAll(db, accounts, ids, now),
      this.pauses.find(db, apexNames, now),
      this.loadUsage(db, accounts, subjects, now),
    ]);
    return new CaSelection({ accounts, newest, records, renewals, slots, inherited, pauses, usage, now });
  }

  /** One statement for each account: the first one of a CA also reads what its accounts share. */
  private async loadUsage(
    db: Database,
    accounts: readonly CaAccount[],
    subjects: readonly CertificateSubject[],
    now: Date,
  ): Promise<Map<string, readonly Date[]>> {
    const usage = new Map<string, readonly Date[]>();
    for (const { account, limits } of withOwnLimits(accounts))
      for (const { kind, subject, times } of await this.usage.findUsage(db, account, limits, subjects, now))
        usage.set(`${usageScope(kind, account)} ${subject}`, times);
    return usage;
  }
}

/** Each account with the limits that no account before it shares. */
export function withOwnLimits(
  accounts: readonly CaAccount[],
): readonly { readonly account: CaAccount; readonly limits: CaAccount['limits'] }[] {
  const seen = new Set<string>();
  return accounts.map((account) => {
    const scopeOf = (kind: CaAccount['limits'][number]['kind']) => `${kind} ${usageScope(kind, account)}`;
    const limits = account.limits.filter(({ kind }) => !seen.has(scopeOf(kind)));
    for (const { kind } of limits) seen.add(scopeOf(kind));
    return { account, limits };
  });
}
