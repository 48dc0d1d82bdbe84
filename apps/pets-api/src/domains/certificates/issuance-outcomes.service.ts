import { Injectable } from '@nestjs/common';
import type { Attempt, DomainEvents } from '@pets/contracts';
import { describeIssue, jitterOf, renewalTime, type ClassifiedFailure, type DomainTrigger } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { CertificateAttemptsRepository, type CertificateSubject } from './certificate-attempts.repository.js';
import { CertificatesRepository } from './certificates.repository.js';
import { IssuancePlans } from './issuance-plans.service.js';
import { hasKeyOfRequest, readLeaf } from './x509.js';

type Failed = DomainEvents['certificate.failed'];

/** Records the result of an attempt in the transaction that applies it, and returns the trigger for its domain. */
@Injectable()
export class IssuanceOutcomes {
  constructor(
    private readonly certificates: CertificatesRepository,
    private readonly attempts: CertificateAttemptsRepository,
    private readonly plans: IssuancePlans,
  ) {}

  /**
   * Stores a chain. The worker has checked it. That it is for the stored key is checked here again, since a chain with the
   * wrong key would take down a working domain.
   * @param csrPem the request of the attempt
   * @returns null when the attempt already has a result
   */
  async issued(
    tx: Tx,
    subject: CertificateSubject,
    { chainPem, ...attempt }: Attempt & { readonly chainPem: string },
    csrPem: string,
    now: Date,
  ): Promise<DomainTrigger | null> {
    if (!hasKeyOfRequest(chainPem, csrPem)) {
      const issue = describeIssue('ca_unavailable', { detail: 'the CA returned a certificate for another key' });
      const failure = { class: 'passing', issues: [issue], retryAt: null } as const;
      return this.failed(tx, subject, { ...attempt, stage: 'chain', ordered: true }, failure, now);
    }
    const leaf = readLeaf(chainPem);
    const renewAt = renewalTime(leaf.notBefore, leaf.notAfter, jitterOf(subject.domainId));
    const wasUpdated = await this.certificates.markIssued(tx, attempt, chainPem, leaf, renewAt, now);
    return wasUpdated ? { type: 'certificate.issued', renewAt } : null;
  }

  async failed(
    tx: Tx,
    subject: CertificateSubject,
    { stage, ordered, ...attempt }: Attempt & Pick<Failed, 'stage' | 'ordered'>,
    failure: ClassifiedFailure,
    now: Date,
  ): Promise<DomainTrigger> {
    const { class: failureClass, retryAt } = failure;
    const directoryUrl = await this.attempts.fail(tx, attempt, { class: failureClass, stage, ordered, retryAt }, now);
    const isPreflightFailure = stage === 'gate';
    const isOfCa = !isPreflightFailure && (failureClass === 'passing' || failureClass === 'rate');
    const mayMoveOn = isOfCa && directoryUrl !== null;
    return {
      type: 'certificate.failed',
      failure,
      isPreflightFailure,
      hasOtherCa: mayMoveOn && (await this.plans.hasOtherCa(tx, subject, directoryUrl, now)),
    };
  }
}
