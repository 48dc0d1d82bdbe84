import { X509Certificate } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { DomainJob, Messaging } from '@pets/messaging';
import type { Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { dispatchClaims, unhurriedDispatch } from '../../platform/lease-dispatcher.js';
import { LOG, MESSAGING } from '../../platform/providers.js';
import { RevocationOutcomes } from './revocation-outcomes.service.js';
import { RevocationsRepository, type ClaimedRevocation } from './revocations.repository.js';

/** Creates jobs for due revocations. When a job is lost, its revocation is due again after the lease. */
@Injectable()
export class RevocationDispatcher implements OnModuleInit {
  constructor(
    private readonly revocations: RevocationsRepository,
    private readonly outcomes: RevocationOutcomes,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly tasks: BackgroundTasks,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.tasks.poll(
      unhurriedDispatch<ClaimedRevocation>({
        channel: 'certificate_revocations',
        failure: 'revocation dispatch failed; trying again',
        waitingCount: () => this.messaging.jobs.certificates.waitingCount(),
        claimDue: (limit) => this.revocations.claimDue(limit),
        dispatch: (claims) => this.dispatch(claims),
      }),
    );
  }

  private async dispatch(claims: readonly ClaimedRevocation[]): Promise<void> {
    const expired = claims.filter(({ isExpired }) => isExpired);
    const valid = claims.filter(({ isExpired }) => !isExpired);
    if (valid.length > 0)
      await dispatchClaims(valid, {
        build: async (built) => ({ jobs: built.map((claim) => ({ claim, job: jobOf(claim) })), answers: [] }),
        enqueue: (jobs) => this.messaging.jobs.certificates.addBulk(jobs),
        release: (open, afterSeconds) => this.revocations.release(open, afterSeconds),
        failure: 'revocations not dispatched; their rows are released',
        log: this.log,
      });
    for (const { certificateId } of expired) await this.outcomes.expired(certificateId);
  }
}

function jobOf(claim: ClaimedRevocation): DomainJob {
  const { certificateId, domainId, attempt, directoryUrl, accountThumbprint, reason } = claim;
  const certificate = new X509Certificate(claim.chainPem).raw.toString('base64url');
  const leaseUntil = claim.leaseUntil.toISOString();
  const ids = { certificateId, domainId, attempt };
  const payload = { ...ids, leaseUntil, directoryUrl, accountThumbprint, certificate, reason };
  return { name: 'revoke-certificate', payload };
}
