import { Module, type DynamicModule } from '@nestjs/common';
import { DnsServers } from '@pets/dns';
import type { Messaging } from '@pets/messaging';
import type { Logger } from '@pets/platform';
import { AccountAnnouncer } from './certificate-authority/account-announcer.js';
import { CaAccounts } from './certificate-authority/ca-accounts.js';
import { ChallengeDns } from './challenges/challenge-dns.js';
import { ChallengeHandlers, Dns01, Http01 } from './challenges/challenge-handlers.js';
import type { Config } from './config.js';
import { EventSender } from './events/event-sender.js';
import { IssuancePreflight, IssuanceService } from './issuance/issuance.service.js';
import { JobsService } from './jobs.service.js';
import { ProbingService } from './probing/probing.service.js';
import { CONFIG, LOG, MESSAGING } from './providers.js';
import { RenewalInfoService } from './renewal/renewal-info.service.js';
import { RevocationCheckService } from './revocation/revocation-check.service.js';
import { RevocationService } from './revocation/revocation.service.js';
import { VerificationService } from './verification/verification.service.js';
import { WorkerDns } from './verification/worker-dns.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

export interface WorkerDependencies {
  readonly config: Config;
  readonly messaging: Messaging;
  readonly log: Logger;
}

/**
 * The worker reports results and decides nothing: each job ends with one event. It has no database, and its only state is a cache
 * of ACME accounts, so any number of workers may run, and any may die.
 */
@Module({})
export class WorkerModule {
  static with({ config, messaging, log }: WorkerDependencies): DynamicModule {
    return {
      module: WorkerModule,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: MESSAGING, useValue: messaging },
        { provide: LOG, useValue: log },
        EventSender,
        { provide: DnsServers, useClass: WorkerDns },
        ChallengeDns,
        VerificationService,
        CaAccounts,
        AccountAnnouncer,
        ChallengeHandlers,
        Dns01,
        Http01,
        IssuancePreflight,
        IssuanceService,
        RenewalInfoService,
        RevocationService,
        RevocationCheckService,
        ProbingService,
        WebhooksService,
        JobsService,
      ],
    };
  }
}
