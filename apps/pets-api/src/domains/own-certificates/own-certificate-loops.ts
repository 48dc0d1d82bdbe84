import { X509Certificate } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { DomainJob, Messaging } from '@pets/messaging';
import type { Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { dispatchClaims, unhurriedDispatch } from '../../platform/lease-dispatcher.js';
import { CLOCK, LOG, MESSAGING } from '../../platform/providers.js';
import { OwnCertificateChanges } from './own-certificate-changes.js';
import { OwnCertificatesRepository } from '../../certificates/own/own-certificates.repository.js';
import { RevocationChecksRepository, type ClaimedCheck } from '../../certificates/own/revocation-checks.repository.js';

const STEPS_EVERY_MS = 30_000;
const STEPS_BATCH = 100;
const STEPS_FAILURE = 'the end of uploaded certificates was not applied';

/** Creates jobs for due checks of revocation lists, and applies what is due by time. */
@Injectable()
export class OwnCertificateLoops implements OnModuleInit {
  constructor(
    private readonly checks: RevocationChecksRepository,
    private readonly own: OwnCertificatesRepository,
    private readonly changes: OwnCertificateChanges,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly tasks: BackgroundTasks,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.tasks.poll(
      unhurriedDispatch<ClaimedCheck>({
        channel: 'revocation_checks',
        failure: 'dispatch of revocation checks failed; trying again',
        waitingCount: () => this.messaging.jobs.lists.waitingCount(),
        claimDue: (limit) => this.checks.claimDue(limit),
        dispatch: (claims) => this.dispatch(claims),
      }),
    );
    this.tasks.repeat({ everyMs: STEPS_EVERY_MS, failure: STEPS_FAILURE, run: () => this.applySteps() });
  }

  /** Warnings and ends that are due. @returns how many certificates had one */
  async applySteps(): Promise<number> {
    const now = this.clock();
    return this.tasks.sweep({
      batch: STEPS_BATCH,
      failure: STEPS_FAILURE,
      clear: async (limit) => {
        const due = await this.own.listDueSteps(now, limit);
        for (const { id } of due) await this.changes.applyStep(id);
        return due.length;
      },
    });
  }

  /** An upload without a list was interrupted before it was activated: there is nothing to check. */
  private dispatch(claims: readonly ClaimedCheck[]): Promise<void> {
    const { listed = [], unlisted = [] } = Object.groupBy(claims, (claim) =>
      claim.crlUrls.length > 0 && claim.issuerPem !== null ? 'listed' : 'unlisted',
    );
    return dispatchClaims([...listed, ...unlisted], {
      build: async () => ({
        jobs: listed.map((claim) => ({ claim, job: jobOf(claim) })),
        answers: unlisted.map((claim) => ({ claim, answer: null })),
      }),
      enqueue: (jobs) => this.messaging.jobs.lists.addBulk(jobs),
      applyAnswers: async (answers) => {
        for (const { claim } of answers)
          await this.changes.applyCheck(claim.certificateId, { result: null, detail: null, attempt: claim.attempt });
      },
      release: (open, afterSeconds) => this.checks.release(open, afterSeconds),
      failure: 'revocation checks not dispatched; their rows are released',
      log: this.log,
    });
  }
}

function jobOf({ certificateId, domainId, organizationId, attempt, leaseUntil, ...claim }: ClaimedCheck): DomainJob {
  const issuer = new X509Certificate(claim.issuerPem ?? '').raw.toString('base64url');
  return {
    name: 'check-revocation-list',
    payload: {
      ...{ certificateId, domainId, organizationId, attempt, leaseUntil: leaseUntil.toISOString() },
      ...{ urls: [...claim.crlUrls], serialNumber: claim.serialNumber, issuer },
    },
  };
}
