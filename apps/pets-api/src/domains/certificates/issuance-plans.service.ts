import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { certificateKeyBinding, type Attempt, type DomainIssue } from '@pets/contracts';
import { caLimitsOf, chooseCa, describeIssue, describeLimit, hasOtherCa, type CaChoice } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { seal } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { CaSelection, type PossibleOrder } from './ca-selection.js';
import { CertificatesRepository } from './certificates.repository.js';
import { createKeyAndCsr } from './key-and-csr.js';
import { LedgerRepository, type CertificateSubject } from './ledger.repository.js';

/** An attempt that wants a CA. */
export type Claim = Attempt & CertificateSubject & { readonly organizationId: string };

export interface Plans<C extends Claim> {
  /** What to ask for, and of whom. It is in the ledger. */
  readonly orders: readonly {
    readonly claim: C;
    readonly directoryUrl: string;
    readonly csrPem: string;
    readonly replaces: string | null;
  }[];
  /** Those for whom every CA would refuse for now. */
  readonly refusals: readonly { readonly claim: C; readonly until: Date; readonly issue: DomainIssue }[];
}

/**
 * Decides which CA is asked for a certificate, and whether it may be asked at all (docs/decisions/0015-ca-budget.md).
 * Gather from the ledger, choose (pure), write the reservations. Where a directory has limits that is one transaction
 * under a lock for it, so that of two replicas only one takes the last place.
 */
@Injectable()
export class IssuancePlans {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ACME_DIRECTORY_URLS' | 'CERTIFICATE_KEKS'>,
    private readonly ledger: LedgerRepository,
    private readonly certificates: CertificatesRepository,
  ) {}

  /**
   * Looks twice: without the lock first, since keys and requests take longest and are not made for those that are
   * refused anyway, nor while others wait.
   */
  async reserve<C extends Claim>(claims: readonly C[]): Promise<Plans<C>> {
    if (claims.length === 0) return { orders: [], refusals: [] };
    await this.ledger.releaseStaleReservations(this.db, idsOf(claims));
    const now = new Date();
    const foreseen = decide(claims, await this.look(this.db, claims, now), now);
    const requests = await this.requestsFor(foreseen.orders.map(({ claim }) => claim));
    return this.db.transaction().execute(async (tx) => {
      const { orders, refusals } = await this.decideLocked(tx, foreseen);
      const reservations = orders.flatMap((order) => {
        const request = requests.get(order.claim);
        return request === undefined ? [] : [{ ...order, ...namesOf(order.claim), ...request, attempt: order.claim }];
      });
      await this.ledger.reserve(tx, reservations, new Date());
      return { orders: reservations, refusals };
    });
  }

  /** Which CA each domain would get its certificate from now, by domain id; the first where none may be asked. */
  async previewCa(applicants: readonly CertificateSubject[]): Promise<Map<string, string>> {
    if (applicants.length === 0) return new Map();
    const now = new Date();
    const standing = await this.look(this.db, applicants, now);
    const chosen = (applicant: CertificateSubject) => {
      const choice = chooseCa(standing.candidatesFor(applicant), now);
      return choice.kind === 'chosen' ? choice.directoryUrl : choice.candidate.directoryUrl;
    };
    return new Map(applicants.map((applicant) => [applicant.domainId, chosen(applicant)]));
  }

  /** Whether another CA may be asked at once for a domain whose attempt at one has just been booked as failed. */
  async hasOtherCa(tx: Tx, applicant: CertificateSubject, failedDirectoryUrl: string, now: Date): Promise<boolean> {
    if (this.config.ACME_DIRECTORY_URLS.every((url) => url === failedDirectoryUrl)) return false;
    const standing = await this.look(tx, [applicant], now);
    return hasOtherCa(standing.candidatesFor(applicant), failedDirectoryUrl, now);
  }

  /** What no limit applies to is decided already. */
  private async decideLocked<C extends Claim>(tx: Tx, foreseen: Decisions<C>): Promise<Decisions<C>> {
    const limited = this.config.ACME_DIRECTORY_URLS.filter(hasLimits);
    const claims = foreseen.orders.map(({ claim }) => claim);
    if (limited.length === 0 || claims.length === 0) return foreseen;
    await this.ledger.lock(tx, limited);
    const now = new Date();
    const { orders, refusals } = decide(claims, await this.look(tx, claims, now), now);
    return { orders, refusals: [...foreseen.refusals, ...refusals] };
  }

  private async look(db: Database, applicants: readonly CertificateSubject[], now: Date): Promise<CaSelection> {
    const directoryUrls = this.config.ACME_DIRECTORY_URLS;
    const ids = idsOf(applicants);
    const names = applicants.map(({ name }) => name);
    const usageOf = async (url: string) =>
      [url, await this.ledger.findUsage(db, url, caLimitsOf(url), applicants, now)] as const;
    const [newest, records, renewals, ...usages] = await Promise.all([
      this.certificates.findNewest(ids, db),
      this.ledger.listRecords(db, ids),
      this.ledger.findRenewals(db, directoryUrls, names),
      ...directoryUrls.filter(hasLimits).map(usageOf),
    ]);
    return new CaSelection({ directoryUrls, newest, records, renewals, usage: new Map(usages), now });
  }

  private async requestsFor<C extends Claim>(claims: readonly C[]) {
    const made = claims.map(async (claim) => {
      const id = randomUUID();
      const { keyPem, csrPem } = await createKeyAndCsr(claim.name);
      const binding = certificateKeyBinding(id, claim.organizationId);
      return [claim, { id, csrPem, sealedKey: seal(this.config.CERTIFICATE_KEKS, keyPem, binding) }] as const;
    });
    return new Map(await Promise.all(made));
  }
}

interface Decisions<C extends Claim> {
  readonly orders: readonly ({ readonly claim: C; readonly directoryUrl: string } & PossibleOrder)[];
  readonly refusals: Plans<C>['refusals'];
}

/** One after the other, each counted against those after it. */
function decide<C extends Claim>(claims: readonly C[], standing: CaSelection, now: Date): Decisions<C> {
  const orders: Decisions<C>['orders'][number][] = [];
  const refusals: Plans<C>['refusals'][number][] = [];
  for (const claim of claims) {
    const choice = chooseCa(standing.candidatesFor(claim), now);
    if (choice.kind === 'deferred') {
      refusals.push({ claim, until: choice.until, issue: describeRefusal(choice, claim) });
      continue;
    }
    const { directoryUrl } = choice;
    orders.push({ claim, directoryUrl, ...standing.orderFor(claim, directoryUrl) });
    standing.reserve(claim, directoryUrl);
  }
  return { orders, refusals };
}

function hasLimits(directoryUrl: string): boolean {
  return caLimitsOf(directoryUrl).length > 0;
}

function idsOf(applicants: readonly CertificateSubject[]): string[] {
  return applicants.map(({ domainId }) => domainId);
}

function namesOf({ name, apexName, organizationId }: Claim) {
  return { name, apexName, organizationId };
}

function describeRefusal(
  { until, candidate }: CaChoice & { kind: 'deferred' },
  applicant: CertificateSubject,
): DomainIssue {
  const { budget, directoryUrl } = candidate;
  const detail = budget.allowed
    ? `${new URL(directoryUrl).hostname} asked to be left alone for now`
    : describeLimit(budget.limit, applicant);
  return describeIssue('ca_rate_limited', { detail, until: until.toISOString() });
}
