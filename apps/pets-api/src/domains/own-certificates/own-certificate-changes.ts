/**
 * Makes an uploaded certificate the one that visitors get, or ends it. Each change is one transaction under the lock of the
 * project: the rows, the transition of the domain with its history and webhook events, and the routes.
 */
import { X509Certificate } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { RevocationCheckResult } from '@pets/contracts';
import { jitterOf, nextOwnCertificateStep, nextRevocationCheck } from '@pets/domains';
import type { DomainJob, Messaging } from '@pets/messaging';
import type { Database, Tx } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { CertificatesRepository } from '../../certificates/certificates.repository.js';
import {
  OwnCertificatesRepository,
  type OwnCertificateEnd,
  type OwnCertificateRow,
} from '../../certificates/own/own-certificates.repository.js';
import { RevocationChecksRepository, type ClaimedCheck } from '../../certificates/own/revocation-checks.repository.js';
import { LifecycleService } from '../../lifecycle/lifecycle.service.js';
import type { DomainRow } from '../../names/domain-row.js';
import { DomainsRepository } from '../../names/domains.repository.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { dispatchClaims, unhurriedDispatch } from '../../platform/lease-dispatcher.js';
import { CLOCK, DATABASE, LOG, MESSAGING } from '../../platform/providers.js';
import { ProjectsRepository, type ProjectRow } from '../../projects/projects.repository.js';

/** A domain, and the upload that changes, in a transaction that holds the lock of the project. */
interface LockedUpload {
  readonly project: ProjectRow;
  readonly domain: DomainRow;
  readonly own: OwnCertificateRow;
  readonly now: Date;
}

/** Result of checking the revocation list; a null result: there is no list. */
export interface FinishedCheck {
  readonly result: RevocationCheckResult | null;
  readonly detail: string | null;
  /** Number of the attempt; null for a check that needed no worker: without a list, or with an earlier result. */
  readonly attempt: number | null;
}

@Injectable()
export class OwnCertificateChanges {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly certificates: CertificatesRepository,
    private readonly own: OwnCertificatesRepository,
    private readonly lifecycle: LifecycleService,
  ) {}

  /** Applies a check, unless a newer one is under way. That a certificate is revoked always counts: the list is signed. */
  async applyCheck(certificateId: string, { result, detail, attempt }: FinishedCheck): Promise<void> {
    if (attempt !== null) await this.own.finishCheck(certificateId, { result, detail, attempt });
    await this.locked(certificateId, async (tx, upload) => {
      const { own, domain, now } = upload;
      if (own.state !== 'checking' && own.state !== 'active') return;
      if (result === 'revoked') {
        await this.own.recordCheck(tx, own.id, { result, detail, nextAt: null }, now);
        return this.end(tx, upload, 'revoked', null);
      }
      if (attempt !== null && attempt !== own.checkAttempt) return;
      const nextAt = result === null ? null : nextRevocationCheck(result, own.checkFailures, jitterOf(domain.id), now);
      await this.own.recordCheck(tx, own.id, { result, detail, nextAt }, now);
      if (own.state === 'checking') await this.activate(tx, upload);
    });
  }

  /** Applies what time changes of an active certificate: a warning, or its end. */
  async applyStep(certificateId: string): Promise<void> {
    await this.locked(certificateId, async (tx, upload) => {
      const { project, domain, own, now } = upload;
      if (own.state !== 'active') return;
      const automatic = (await this.certificates.findNewest([domain.id], tx)).get(domain.id) ?? null;
      const step = nextOwnCertificateStep(own, automatic, now);
      if (step.kind === 'ends') return this.end(tx, upload, 'expired', null);
      await this.own.setStep(tx, own.id, step.nextAt);
      const trigger = { type: 'own_certificate.due' } as const;
      await this.lifecycle.applyOwnerRequest(tx, project, domain, { trigger, apiKeyId: null, now });
    });
  }

  /** Ends an upload. Of a domain that has another active one, that stays. */
  async end(
    tx: Tx,
    { project, domain, own, now }: LockedUpload,
    reason: Exclude<OwnCertificateEnd, 'replaced'>,
    apiKeyId: string | null,
  ): Promise<void> {
    await this.own.end(tx, domain.id, [own.state], reason, now);
    const detail = `${describe(own)} ${endings[reason]}`;
    const trigger = { type: 'own_certificate.ended', reason, detail } as const;
    await this.lifecycle.applyOwnerRequest(tx, project, domain, { trigger, apiKeyId, now });
    this.log.info({ domainId: domain.id, certificateId: own.id, reason }, 'uploaded certificate ended');
  }

  private async activate(tx: Tx, { project, domain, own, now }: LockedUpload): Promise<void> {
    const { automatic, own: before } = (await this.certificates.findCurrent([domain.id], tx))(domain.id);
    const isFirst = automatic === null && before === null;
    const step = nextOwnCertificateStep(own, automatic, now);
    await this.own.end(tx, domain.id, ['active', 'expired', 'revoked'], 'replaced', now);
    await this.own.activate(tx, own.id, step.kind === 'stays' ? step.nextAt : now);
    const detail = own.isPreferred
      ? `${describe(own)} takes the place of the automatic certificate`
      : `${describe(own)} is the fallback of the automatic certificate`;
    const trigger = { type: 'own_certificate.activated', isFirst, detail } as const;
    await this.lifecycle.applyOwnerRequest(tx, project, domain, { trigger, apiKeyId: null, now });
    this.log.info({ domainId: domain.id, certificateId: own.id }, 'uploaded certificate activated');
  }

  /** Locks the project of an upload. Does nothing for one that is gone, or whose domain was removed or moves just now. */
  private async locked(certificateId: string, change: (tx: Tx, upload: LockedUpload) => Promise<void>): Promise<void> {
    const projectId = await this.own.findProject(certificateId);
    if (projectId === null) return;
    await this.db.transaction().execute(async (tx) => {
      const project = (await this.projects.lockAll(tx, [projectId])).get(projectId);
      const own = await this.own.find(certificateId, tx);
      const domain = own === null ? undefined : (await this.domains.listLocked(tx, [own.domainId])).get(own.domainId);
      if (project === undefined || own === null || domain?.projectId !== projectId || domain.state === 'removed')
        return;
      await change(tx, { project, domain, own, now: this.clock() });
    });
  }
}

const endings = {
  removed: 'was removed by its owner',
  expired: 'has ended',
  revoked: 'was revoked by its certificate authority and is not served',
} as const satisfies Record<Exclude<OwnCertificateEnd, 'replaced'>, string>;

function describe({ serialNumber, issuer }: OwnCertificateRow): string {
  return `the uploaded certificate ${serialNumber} of "${issuer}"`;
}

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
