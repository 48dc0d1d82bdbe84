import { Inject, Injectable, Module, Optional, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { DnsServers, type DnsLimits } from '@pets/dns';
import type { Messaging } from '@pets/messaging';
import type { Logger } from '@pets/platform';
import { AccountAnnouncer, CaAccounts } from './certificate-authority/ca-accounts.js';
import { ChallengeDns } from './challenges/challenge-dns.js';
import { ChallengeHandlers, Dns01, Http01 } from './challenges/challenge-handlers.js';
import type { Config } from './config.js';
import { EventSender } from './events/event-sender.js';
import { IssuancePreflight, IssuanceService } from './issuance/issuance.service.js';
import { JobsService } from './jobs.service.js';
import { ProbingService } from './probing/probing.service.js';
import { CONFIG, DNS_LIMITS, LOG, MESSAGING } from './providers.js';
import { RenewalInfoService } from './renewal/renewal-info.service.js';
import { RevocationCheckService } from './revocation/revocation-check.service.js';
import { RevocationService } from './revocation/revocation.service.js';
import { VerificationService } from './verification/verification.service.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** The configured DNS servers, closed with the module. Provided as `DnsServers`. */
@Injectable()
export class WorkerDns extends DnsServers implements OnModuleDestroy {
  constructor(
    @Inject(CONFIG)
    config: Pick<
      Config,
      'DNS_RESOLVERS' | 'DNS_ALLOW_PRIVATE_AUTHORITATIVE' | 'DNS_RESOLVERS_HOLD_ZONES' | 'DNS_AUTHORITATIVE_ADDRESSES'
    >,
    @Optional() @Inject(DNS_LIMITS) limits: Partial<DnsLimits> = {},
  ) {
    const { DNS_RESOLVERS: resolvers, DNS_ALLOW_PRIVATE_AUTHORITATIVE: allowPrivateAuthoritative } = config;
    const options = {
      allowPrivateAuthoritative,
      resolversHoldZones: config.DNS_RESOLVERS_HOLD_ZONES,
      authoritativeAt: config.DNS_AUTHORITATIVE_ADDRESSES,
    };
    super({ ...(resolvers !== undefined && { resolvers }), ...options }, limits);
  }

  onModuleDestroy(): void {
    this.close();
  }
}

interface WorkerDependencies {
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
