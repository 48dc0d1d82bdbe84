import { X509Certificate } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { DomainJob, Messaging } from '@pets/messaging';
import type { NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { LOG, MESSAGING, NOTIFICATIONS } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { PollLoop } from '../../platform/poll-loop.js';
import { RevocationOutcomes } from './revocation-outcomes.service.js';
import { RevocationsRepository, type ClaimedRevocation } from './revocations.repository.js';

const POLL_MS = 5_000;
/** So many at a time, with a pause between them: they ride the queue of issuance, which somebody waits for. */
const BATCH = 10;
const PAUSE_MS = 100;

/** With this many jobs waiting the worker is behind or away: rows stay due instead of becoming more jobs. */
const MAX_WAITING = 500;

/** When the queue could not take jobs, their rows are claimable again after this. */
const RELEASE_SECONDS = 2;

/** Turns due revocations into jobs: claim (which commits), then one `addBulk`. A lost job is due again with its lease. */
@Injectable()
export class RevocationDispatcher extends PollLoop {
  constructor(
    private readonly revocations: RevocationsRepository,
    private readonly outcomes: RevocationOutcomes,
    shuttingDown: ShuttingDown,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(NOTIFICATIONS) notifications: NotificationListener,
    @Inject(LOG) log: Logger,
  ) {
    const failure = 'dispatching revocations failed, trying again';
    const looking = { channel: 'certificate_revocations', pollMs: POLL_MS, pauseMs: PAUSE_MS, failure } as const;
    super(looking, notifications, shuttingDown, log);
  }

  protected override async round(): Promise<void> {
    if ((await this.messaging.jobs.waitingCount()) >= MAX_WAITING) return;
    const claims = await this.revocations.claimDue(BATCH);
    const [expired, open] = [claims.filter(({ isExpired }) => isExpired), claims.filter(({ isExpired }) => !isExpired)];
    await this.dispatch(open);
    for (const { certificateId } of expired) await this.outcomes.expired(certificateId);
  }

  private async dispatch(claims: readonly ClaimedRevocation[]): Promise<void> {
    try {
      await this.messaging.jobs.addBulk(claims.map(jobOf));
    } catch (error) {
      this.log.error(
        { err: error, claims: claims.length },
        'revocations could not be dispatched, their rows are released',
      );
      await this.revocations
        .release(claims, RELEASE_SECONDS)
        .catch((cause: unknown) => this.log.error({ err: cause }, 'release failed; the leases run out'));
    }
  }
}

function jobOf(claim: ClaimedRevocation): DomainJob {
  const { certificateId, domainId, attempt, directoryUrl, reason } = claim;
  const certificate = new X509Certificate(claim.chainPem).raw.toString('base64url');
  const leaseUntil = claim.leaseUntil.toISOString();
  const payload = { certificateId, domainId, attempt, leaseUntil, directoryUrl, certificate, reason };
  return { name: 'revoke-certificate', payload };
}
