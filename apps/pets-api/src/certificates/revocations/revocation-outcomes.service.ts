import { X509Certificate } from 'node:crypto';
import { Controller, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { DomainEvents, RevocationReason } from '@pets/contracts';
import { evaluateRefusedRevocation } from '@pets/domains';
import { OnEvent, type DomainJob, type Messaging } from '@pets/messaging';
import type { Database, Tx } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { DomainHistoryRepository } from '../../names/domain-history.repository.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { dispatchClaims, unhurriedDispatch } from '../../platform/lease-dispatcher.js';
import { CLOCK, DATABASE, LOG, MESSAGING } from '../../platform/providers.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { RevocationsRepository, type ClaimedRevocation, type PendingRevocation } from './revocations.service.js';

type Failed = DomainEvents['certificate.revocation_failed'];

const reasonTexts = {
  unspecified: 'no reason given',
  key_compromise: 'its key is compromised',
  superseded: 'it was superseded',
  cessation_of_operation: 'the name no longer uses it',
} as const satisfies Record<RevocationReason, string>;

/** Applies the results of revocations, and records them in the history of the certificate's domain. */
@Injectable()
export class RevocationOutcomes {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly projects: ProjectsRepository,
    private readonly history: DomainHistoryRepository,
    private readonly revocations: RevocationsRepository,
  ) {}

  /** Applies to any attempt: the certificate is revoked. */
  async revoked(certificateId: string): Promise<void> {
    await this.apply(certificateId, (tx, pending, now) => this.endRevoked(tx, certificateId, pending, now));
  }

  /** Drops the result of an outdated attempt, since a newer one is running. */
  async failed({ certificateId, attempt, problem }: Failed): Promise<void> {
    await this.apply(certificateId, async (tx, pending, now) => {
      if (attempt !== pending.attempt) return;
      const verdict = evaluateRefusedRevocation(pending, problem, now);
      if (verdict.kind === 'revoked') return this.endRevoked(tx, certificateId, pending, now);
      await this.revocations.retry(tx, certificateId, { ...verdict, problem: problem.detail }, now);
      if (pending.failures > 0) return;
      const detail = `${nameOf(pending)} could not be revoked: ${problem.detail}. We retry until it expires.`;
      await this.record(tx, pending, 'certificate.revocation_failed', detail, now);
    });
  }

  /** No client accepts an expired certificate, so the CA is not asked to revoke it. */
  async expired(certificateId: string): Promise<void> {
    await this.apply(certificateId, async (tx, pending, now) => {
      await this.revocations.end(tx, certificateId, 'expired', now);
      await this.record(
        tx,
        pending,
        'certificate.revocation_ended',
        `${nameOf(pending)} expired before it was revoked`,
        now,
      );
    });
  }

  /** Locks the project first, like every writer of a history. */
  private async apply(
    certificateId: string,
    write: (tx: Tx, pending: PendingRevocation, now: Date) => Promise<void>,
  ): Promise<void> {
    const projectId = await this.revocations.findProject(certificateId);
    if (projectId === null) return;
    await this.db.transaction().execute(async (tx) => {
      await this.projects.lockAll(tx, [projectId]);
      const pending = await this.revocations.lockPending(tx, certificateId);
      if (pending !== null) await write(tx, pending, this.clock());
    });
  }

  private async endRevoked(tx: Tx, certificateId: string, pending: PendingRevocation, now: Date): Promise<void> {
    await this.revocations.end(tx, certificateId, 'revoked', now);
    const detail = `${nameOf(pending)} was revoked by the certificate authority: ${reasonTexts[pending.reason]}`;
    await this.record(tx, pending, 'certificate.revoked', detail, now);
  }

  private async record(
    tx: Tx,
    { domainId, projectId, domainState }: PendingRevocation,
    type: string,
    detail: string,
    at: Date,
  ): Promise<void> {
    const line = { type, from: domainState, to: domainState, detail, apiKeyId: null, at };
    await this.history.record(tx, { id: domainId, projectId }, line);
  }
}

function nameOf({ chainPem }: PendingRevocation): string {
  return `the certificate with the serial number ${new X509Certificate(chainPem).serialNumber.toLowerCase()}`;
}

/** Results of revocations, from the worker. */
@Controller()
export class RevocationEventsController {
  constructor(private readonly outcomes: RevocationOutcomes) {}

  @OnEvent('certificate.revoked')
  async onRevoked({ certificateId }: DomainEvents['certificate.revoked']): Promise<void> {
    await this.outcomes.revoked(certificateId);
  }

  @OnEvent('certificate.revocation_failed')
  async onRevocationFailed(event: DomainEvents['certificate.revocation_failed']): Promise<void> {
    await this.outcomes.failed(event);
  }
}

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
