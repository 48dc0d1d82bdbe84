import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, DomainEvents } from '@pets/contracts';
import {
  describeIssue,
  isOrderStuck,
  jitterOf,
  limitsRate,
  nextAllowedOrder,
  nextOrderRead,
  readRefusal,
  renewalTime,
  reverifiedAt,
  type CertificateSubject,
  type ClassifiedFailure,
  type DomainTrigger,
  type GenerationFacts,
} from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { DATABASE } from '../platform/providers.js';
import { CaPausesRepository } from './ca-usage.repository.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import type { LeasedCertificate } from './certificate-objects.repository.js';
import { CertificateObjects } from './certificate-objects.service.js';
import { CertificatesRepository } from './certificates.repository.js';
import { IssuancePlans } from './issuance-plans.service.js';
import { OpenOrdersRepository } from './open-orders.repository.js';
import { hasKeyOfRequest, readLeaf } from './x509.js';

type Failed = DomainEvents['certificate.failed'];

type Issued = Attempt & Pick<DomainEvents['certificate.issued'], 'chainPem' | 'method'>;

/** Parts of an attempt that were stored before the transaction that applies its result. */
export interface PreparedCertificate {
  readonly csrPem: string;
  /** Lease of its object, where it was written. */
  readonly object: LeasedCertificate | null;
}

/** Records the result of an attempt in the transaction that applies it, and returns the trigger for its domain. */
@Injectable()
export class IssuanceOutcomes {
  constructor(
    private readonly certificates: CertificatesRepository,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly orders: OpenOrdersRepository,
    private readonly plans: IssuancePlans,
    private readonly objects: CertificateObjects,
    private readonly pauses: CaPausesRepository,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /**
   * Stores the pause that a CA asks for, if it concerns more than the name: no order is placed before its end. A statement of
   * its own, before the transaction that applies the result, since many results write the same row.
   * @returns the end of the pause; null without one
   */
  async pauseRefused({ problem, ...attempt }: Failed): Promise<Date | null> {
    if (problem === null || !limitsRate(problem)) return null;
    const ordered = await this.attempts.findOrdered(attempt);
    if (ordered === null) return null;
    const { by, until } = readRefusal(problem, ordered, new Date());
    if (by === 'account') await this.pauses.pauseAccount(this.db, ordered.directoryUrl, until, problem.detail);
    if (by === 'registered_domain')
      await this.pauses.pauseApex(this.db, ordered.directoryUrl, ordered.apexName, until, problem.detail);
    return by === 'name' ? null : until;
  }

  /**
   * Writes the object of a certificate that was issued, before the transaction that makes it current, so that edges find it.
   * Follow it with `issued` and then `release`.
   * @returns null when the attempt is unknown
   */
  async prepare({ chainPem, ...attempt }: Issued): Promise<PreparedCertificate | null> {
    const csrPem = await this.certificates.findRequest(attempt);
    if (csrPem === null) return null;
    const isRight = hasKeyOfRequest(chainPem, csrPem);
    return { csrPem, object: isRight ? await this.objects.writeNew(attempt, chainPem) : null };
  }

  /** For a transaction that has changed nothing. */
  async release({ object }: PreparedCertificate): Promise<void> {
    if (object !== null) await this.objects.release(object);
  }

  /**
   * Stores a chain. The worker has checked it. That it is for the stored key is checked here again, since a chain with the
   * wrong key would take down a working domain.
   * @returns null when the attempt already has a result
   */
  async issued(
    tx: Tx,
    subject: CertificateSubject,
    { chainPem, method, ...attempt }: Issued,
    { csrPem, object }: PreparedCertificate,
    now: Date,
  ): Promise<DomainTrigger | null> {
    if (!hasKeyOfRequest(chainPem, csrPem)) {
      const issue = describeIssue('ca_unavailable', { detail: 'the CA returned a certificate for another key' });
      const failure = { class: 'passing', issues: [issue], retryAt: null } as const;
      return this.failed(
        tx,
        subject,
        { ...attempt, method, stage: 'chain', ordered: true, order: null },
        { failure, pausedUntil: null },
        now,
      );
    }
    const leaf = readLeaf(chainPem);
    const renewAt = renewalTime(leaf.notBefore, leaf.notAfter, jitterOf(subject.domainId));
    const wasUpdated = await this.certificates.markIssued(
      tx,
      attempt,
      { chainPem, leaf, renewAt, method, object },
      now,
    );
    return wasUpdated ? { type: 'certificate.issued', renewAt } : null;
  }

  /**
   * The CA has not finished an order: it is read again. An order that had been open for too long when the owner asked for a
   * new attempt is given up, and so is one that was read after its end.
   * @returns null when the attempt has no open order
   */
  async pending(
    tx: Tx,
    domain: GenerationFacts & { readonly id: string },
    { retryAt, ...attempt }: DomainEvents['certificate.pending'],
    now: Date,
  ): Promise<DomainTrigger | null> {
    const order = await this.orders.find(tx, attempt);
    if (order === null) return null;
    const { orderedAt } = order;
    const authority = new URL(order.directoryUrl).hostname;
    const askedAt = reverifiedAt(domain);
    if (order.wasReadLast || (askedAt !== null && isOrderStuck(orderedAt, askedAt))) {
      const ended = {
        class: 'passing',
        stage: 'finalize',
        ordered: true,
        method: order.method,
        retryAt: null,
      } as const;
      await this.attempts.fail(tx, attempt, ended, now);
      return this.givenUp(
        tx,
        domain.id,
        `${authority} has not finished the request of ${orderedAt.toISOString()}`,
        now,
      );
    }
    return {
      type: 'certificate.pending',
      nextReadAt: nextOrderRead(order, retryAt === null ? null : new Date(retryAt), now),
      issue: describeIssue('certificate_pending', { authority, since: orderedAt.toISOString() }),
    };
  }

  /** An order that the worker could not continue. @returns null when the attempt already has a result */
  async gone(
    tx: Tx,
    subject: CertificateSubject,
    { stage, method, problem, ...attempt }: Failed,
    now: Date,
  ): Promise<DomainTrigger | null> {
    const ended = { class: 'passing', stage, ordered: true, method, retryAt: null } as const;
    if ((await this.attempts.fail(tx, attempt, ended, now)) === null) return null;
    const reason = `the earlier request cannot be continued (${problem?.detail ?? 'without a reason'})`;
    return this.givenUp(tx, subject.domainId, reason, now);
  }

  private async givenUp(tx: Tx, domainId: string, reason: string, now: Date): Promise<DomainTrigger> {
    const ordersAt = (await this.attempts.findOrders([domainId], now, tx)).get(domainId) ?? [];
    return { type: 'order.given_up', nextOrderAt: nextAllowedOrder(ordersAt, now), reason };
  }

  /**
   * A failure ends the order as well, unless it may still give a certificate and no other CA is used instead.
   * @param pausedUntil what `pauseRefused` stored
   * @returns null when the attempt already has a result
   * @throws Error when the report of the open order was not handled yet: events have no order, and this one comes again
   */
  async failed(
    tx: Tx,
    subject: CertificateSubject,
    { stage, ordered, method, order, ...attempt }: Attempt & Pick<Failed, 'stage' | 'ordered' | 'method' | 'order'>,
    { failure, pausedUntil }: { readonly failure: ClassifiedFailure; readonly pausedUntil: Date | null },
    now: Date,
  ): Promise<DomainTrigger | null> {
    const { class: failureClass } = failure;
    // A pause of the account or of the registered domain is not one of the name as well.
    const retryAt = pausedUntil === null ? failure.retryAt : null;
    const ended = await this.attempts.fail(tx, attempt, { class: failureClass, stage, ordered, method, retryAt }, now);
    if (ended === null) return null;
    const { directoryUrl, orderedAt } = ended;
    if (order === 'open' && orderedAt === null) throw new Error('the order of the attempt is not stored yet');
    const isPreflightFailure = stage === 'gate';
    const isOfCa = !isPreflightFailure && (failureClass === 'passing' || failureClass === 'rate');
    const isMoving = isOfCa && (await this.plans.hasOtherCa(tx, subject, directoryUrl, now));
    const isOrderOpen = order === 'open' && !isMoving && orderedAt !== null && !isOrderStuck(orderedAt, now);
    if (isOrderOpen) await this.orders.reopen(tx, attempt);
    return {
      type: 'certificate.failed',
      failure: pausedUntil === null ? failure : { ...failure, retryAt: pausedUntil },
      isPreflightFailure,
      hasOtherCa: isMoving,
      isOrderOpen,
    };
  }
}
