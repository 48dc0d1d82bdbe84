import { Injectable } from '@nestjs/common';
import type { Attempt, DomainEvents } from '@pets/contracts';
import { describeIssue, jitterOf, renewalTime, type ClassifiedFailure, type DomainTrigger } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { CertificatesRepository } from './certificates.repository.js';
import { IssuancePlans } from './issuance-plans.service.js';
import { LedgerRepository, type CertificateSubject } from './ledger.repository.js';
import { hasKeyOfRequest, readLeaf } from './read-chain.js';

type Failed = DomainEvents['certificate.failed'];

/** Books how attempts ended, inside the transaction that applies the result, and says what that means for the domain. */
@Injectable()
export class IssuanceOutcomes {
  constructor(
    private readonly certificates: CertificatesRepository,
    private readonly ledger: LedgerRepository,
    private readonly plans: IssuancePlans,
  ) {}

  /**
   * Takes a chain. The worker has checked it; that it belongs to the key it is put beside is checked once more here,
   * since a chain beside another's key would take a domain down that is served well.
   * @param csrPem the request of the attempt
   * @returns null when the attempt has its result already
   */
  async issued(
    tx: Tx,
    applicant: CertificateSubject,
    { chainPem, ...attempt }: Attempt & { readonly chainPem: string },
    csrPem: string,
    now: Date,
  ): Promise<DomainTrigger | null> {
    if (!hasKeyOfRequest(chainPem, csrPem)) {
      const issue = describeIssue('ca_unavailable', { detail: 'the certificate that came is for another key' });
      const failure = { class: 'passing', issues: [issue], retryAt: null } as const;
      return this.failed(tx, applicant, { ...attempt, stage: 'chain', ordered: true }, failure, now);
    }
    const leaf = readLeaf(chainPem);
    const renewAt = renewalTime(leaf.notBefore, leaf.notAfter, jitterOf(applicant.domainId));
    const wasUpdated = await this.certificates.markIssued(tx, attempt, chainPem, leaf, renewAt, now);
    return wasUpdated ? { type: 'certificate.issued', renewAt } : null;
  }

  async failed(
    tx: Tx,
    applicant: CertificateSubject,
    { stage, ordered, ...attempt }: Attempt & Pick<Failed, 'stage' | 'ordered'>,
    failure: ClassifiedFailure,
    now: Date,
  ): Promise<DomainTrigger> {
    const { class: failureClass, retryAt } = failure;
    const directoryUrl = await this.ledger.fail(tx, attempt, { class: failureClass, stage, ordered, retryAt }, now);
    const isPreflightFailure = stage === 'gate';
    const isOfCa = !isPreflightFailure && (failureClass === 'passing' || failureClass === 'rate');
    const mayMoveOn = isOfCa && directoryUrl !== null;
    return {
      type: 'certificate.failed',
      failure,
      isPreflightFailure,
      hasOtherCa: mayMoveOn && (await this.plans.hasOtherCa(tx, applicant, directoryUrl, now)),
    };
  }
}
