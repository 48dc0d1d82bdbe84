import { Inject, Injectable } from '@nestjs/common';
import { PLATFORM_ORGANIZATION, type DomainEvents } from '@pets/contracts';
import {
  afterPlatformRenewalInfo,
  evaluatePlatformFailure,
  firstRenewalInfo,
  hasOtherCa,
  isOrderStuck,
  jitterOf,
  limitsRate,
  nextOrderRead,
  nextPlatformOrder,
  readRefusal,
  renewalTime,
} from '@pets/domains';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { CaPausesRepository } from '../ca-usage.repository.js';
import { CaSelectionLoader } from '../ca-selection-loader.js';
import { hasKeyOfRequest, readLeaf } from '../x509.js';
import { PlatformCertificateFeed } from '../../names/edge-ports.js';
import { PlatformCertificateObjects } from './platform-certificate-objects.js';
import { PlatformCertificatesRepository, type PendingPlatformCertificate } from './platform-certificates.repository.js';
import { PlatformOrdersRepository } from './platform-orders.repository.js';
import { platformSubjectOf, type PlatformSubject } from './platform-subject.js';

type Issued = DomainEvents['certificate.issued'];
type Failed = DomainEvents['certificate.failed'];

/**
 * Applies the results of attempts for the platform certificate. Each result changes the schedule in one transaction, and a
 * certificate is published in the same: if the process dies, the event comes again. Results of an outdated attempt are dropped,
 * and so is an event that comes twice: both are seen under the lock of the schedule.
 */
@Injectable()
export class PlatformCertificateOutcomes {
  private readonly subject: PlatformSubject | null;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'PLATFORM_DOMAIN' | 'ACME_DNS_ZONE' | 'ISSUE_PLATFORM_CERTIFICATE'>,
    @Inject(DATABASE) private readonly db: Database,
    private readonly orders: PlatformOrdersRepository,
    private readonly certificates: PlatformCertificatesRepository,
    private readonly objects: PlatformCertificateObjects,
    private readonly selections: CaSelectionLoader,
    private readonly pauses: CaPausesRepository,
    private readonly feed: PlatformCertificateFeed,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.subject = platformSubjectOf(config);
  }

  /** Whether an event is about the platform certificate, and not about a domain. */
  concerns({ domainId }: { readonly domainId: string }): boolean {
    return domainId === this.subject?.domainId;
  }

  /** Stores and publishes a chain. The worker has checked it, but a chain with the wrong key would end all service. */
  async issued({ chainPem, ...event }: Issued): Promise<void> {
    const { domainId: id, attempt } = event;
    const pending = await this.certificates.findPending(id, attempt);
    if (pending === undefined) return;
    if (!hasKeyOfRequest(chainPem, pending.csrPem)) {
      const detail = 'the CA returned a certificate for another key';
      const problem = { type: null, detail, status: null, retryAt: null };
      return this.failed({ ...event, stage: 'chain', ordered: true, problem, gate: null, order: null });
    }
    const leaf = readLeaf(chainPem);
    const sealed = { id: pending.id, organizationId: PLATFORM_ORGANIZATION, chainPem, sealedKey: pending.sealedKey };
    const written = await this.objects.write(sealed);
    const wasApplied = await this.db.transaction().execute(async (tx) => {
      const order = await this.orders.lock(tx, id);
      if (order?.attempt !== attempt || (await this.certificates.findPending(id, attempt, tx)) === undefined)
        return false;
      const now = new Date();
      const renewAt = renewalTime(leaf.notBefore, leaf.notAfter, jitterOf(id));
      await this.certificates.markIssued(tx, pending.id, { chainPem, leaf, renewAt, written }, now);
      // A certificate without an identifier is renewed by its dates.
      const infoDueAt = leaf.identifier === null ? null : firstRenewalInfo(renewAt, now);
      await this.orders.scheduleRenewal(tx, id, renewAt, infoDueAt);
      await this.feed.publish(tx, pending.id);
      return true;
    });
    if (wasApplied) this.log.info({ id: pending.id, expiresAt: leaf.notAfter }, 'platform certificate issued');
  }

  /** Stores the order, which outlives its job, as for domains. */
  async ordered(event: DomainEvents['certificate.ordered']): Promise<void> {
    if (!(await this.certificates.storeOrder(event, new Date())))
      this.log.info({ attempt: event.attempt }, 'order of an outdated attempt dropped');
  }

  async pending({ domainId: id, attempt, retryAt }: DomainEvents['certificate.pending']): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      const order = await this.orders.lock(tx, id);
      const open = await this.certificates.findOpenOrder(id, tx);
      if (order?.attempt !== attempt || open?.attempt !== attempt) return;
      const dueAt = nextOrderRead(open, retryAt === null ? null : new Date(retryAt), new Date());
      await this.orders.scheduleRead(tx, id, dueAt);
    });
  }

  /** The current certificate stays, and there is always a next attempt. */
  async failed(event: Failed): Promise<void> {
    const { subject } = this;
    const { domainId: id, attempt, stage, ordered } = event;
    const pending = await this.certificates.findPending(id, attempt);
    if (subject === null || pending === undefined) return;
    const pausedUntil = await this.pauseRefused(event, subject, pending);
    const { failure, issue } = evaluatePlatformFailure(event, subject.expected);
    const problem = { code: issue?.code ?? failure.class, text: issue ? `${issue.message} ${issue.remediation}` : '' };
    const isNews = await this.db.transaction().execute(async (tx) => {
      const order = await this.orders.lock(tx, id);
      if (order?.attempt !== attempt || (await this.certificates.findPending(id, attempt, tx)) === undefined)
        return false;
      const now = new Date();
      // A pause of the account or of the registered domain is not one of the name as well.
      const retryAt = pausedUntil === null ? failure.retryAt : null;
      await this.certificates.fail(tx, pending.id, { class: failure.class, stage, ordered, retryAt });
      const isPreflightFailure = stage === 'gate';
      const isOfCa = !isPreflightFailure && (failure.class === 'passing' || failure.class === 'rate');
      const { failuresInARow } = order;
      const facts = {
        failure: { ...failure, retryAt: pausedUntil ?? failure.retryAt },
        isPreflightFailure,
        failuresInARow,
      };
      const mayMoveOn = isOfCa && (await this.hasOtherCa(tx, subject, pending, now));
      const { orderedAt } = pending;
      if (event.order === 'open' && !mayMoveOn && orderedAt !== null && !isOrderStuck(orderedAt, now))
        await this.certificates.reopen(tx, pending.id);
      const next = nextPlatformOrder({ ...facts, hasOtherCa: mayMoveOn }, now);
      await this.orders.scheduleRetry(tx, id, { ...next, problem }, now);
      return order.problem !== problem.text;
    });
    if (!isNews) return;
    const { host, target } = subject.expected.delegation;
    const record = `${host} CNAME ${target}`;
    this.log.warn(
      { code: problem.code, problem: problem.text, record },
      'platform certificate not issued; trying again',
    );
  }

  /** The window of the CA replaces the planned renewal, but not the retry of a failed one. */
  async renewalInfoFetched(event: DomainEvents['renewal_info.fetched']): Promise<void> {
    const { domainId: id, attempt, window, problem } = event;
    await this.db.transaction().execute(async (tx) => {
      const order = await this.orders.lock(tx, id);
      const certificate = await this.certificates.findNewest(id, tx);
      // The window of a certificate that was replaced meanwhile would have the new one renewed at once.
      if (order?.infoAttempt !== attempt || certificate?.identifier !== event.certificateIdentifier) return;
      const now = new Date();
      const isUnderWay = (await this.certificates.findPending(id, order.attempt, tx)) !== undefined;
      const isPlanned = order.problem === null && order.dueAt > now && !isUnderWay;
      const ordersAt = await this.certificates.findOrders(tx, id, now);
      const planned = { certificate, dueAt: isPlanned ? order.dueAt : null, ordersAt, jitter: jitterOf(id) };
      const info = {
        window: window === null ? null : { start: new Date(window.start), end: new Date(window.end) },
        retryAt: event.retryAt === null ? null : new Date(event.retryAt),
        hasFailed: problem !== null,
      };
      const next = afterPlatformRenewalInfo(info, planned, now);
      await this.orders.scheduleRenewalInfo(tx, id, next.dueAt, next.infoDueAt);
    });
  }

  /** Pauses as for domains: a pause of the account concerns all its orders. @returns its end; null without one */
  private async pauseRefused(
    { problem }: Failed,
    names: PlatformSubject,
    { directoryUrl }: PendingPlatformCertificate,
  ): Promise<Date | null> {
    if (problem === null || !limitsRate(problem)) return null;
    const { by, until } = readRefusal(problem, names, new Date());
    if (by === 'account') await this.pauses.pauseAccount(this.db, directoryUrl, until, problem.detail);
    if (by === 'registered_domain')
      await this.pauses.pauseApex(this.db, directoryUrl, names.apexName, until, problem.detail);
    return by === 'name' ? null : until;
  }

  private async hasOtherCa(
    db: Database,
    subject: PlatformSubject,
    { directoryUrl }: PendingPlatformCertificate,
    now: Date,
  ): Promise<boolean> {
    const selection = await this.selections.load(db, [subject], now);
    return hasOtherCa(selection.candidatesFor(subject), directoryUrl, now);
  }
}
