import { Inject, Injectable } from '@nestjs/common';
import { onePerTurn } from '@pets/async';
import { jobLanes, type JobLane } from '@pets/contracts';
import type { DomainJobHandlers, Messaging } from '@pets/messaging';
import type { Config } from './config.js';
import { IssuanceService } from './issuance/issuance.service.js';
import { ProbingService } from './probing/probing.service.js';
import { CONFIG, MESSAGING } from './providers.js';
import { RenewalInfoService } from './renewal/renewal-info.service.js';
import { RevocationCheckService } from './revocation/revocation-check.service.js';
import { RevocationService } from './revocation/revocation.service.js';
import { VerificationService } from './verification/verification.service.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** Connects each job with the service that handles it. */
@Injectable()
export class JobsService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly verification: VerificationService,
    private readonly issuance: IssuanceService,
    private readonly renewal: RenewalInfoService,
    private readonly probing: ProbingService,
    private readonly revocation: RevocationService,
    private readonly revocationChecks: RevocationCheckService,
    private readonly webhooks: WebhooksService,
  ) {}

  start(): void {
    this.startDomainJobs();
    this.startWebhookJobs();
  }

  private startDomainJobs(): void {
    const turn = onePerTurn();
    const handlersOf = (lane: JobLane): DomainJobHandlers => ({
      'verify-dns': async (job, signal) => {
        if (lane !== 'requested') await turn();
        await this.verification.verify(job, signal, lane);
      },
      'reverify-domain': async (job, signal) => {
        if (lane !== 'requested') await turn();
        await this.verification.reverify(job, signal, lane);
      },
      'issue-certificate': (job, signal) => this.issuance.issue(job, signal),
      'fetch-renewal-info': (job, signal) => this.renewal.fetch(job, signal),
      'probe-edge': (job, signal) => this.probing.probe(job, signal),
      'revoke-certificate': (job, signal) => this.revocation.revoke(job, signal),
      'check-revocation-list': (job, signal) => this.revocationChecks.check(job, signal),
    });
    for (const lane of jobLanes)
      this.messaging.processJobs(handlersOf(lane), {
        lane,
        concurrency: this.config.WORKER_CONCURRENCY,
      });
  }

  private startWebhookJobs(): void {
    this.messaging.processWebhookJobs(
      { 'deliver-webhook': (job, signal) => this.webhooks.deliver(job, signal) },
      { concurrency: this.config.WEBHOOK_CONCURRENCY },
    );
  }
}
