import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { NamesModule } from '../names/names.module.js';
import { AcmeAccountEventsController, AcmeAccountsService } from './acme-accounts.service.js';
import { CaReadingsRepository } from './ca-readings.repository.js';
import { CaSelectionLoader } from './ca-selection-loader.js';
import { CaPausesRepository, CaUsageRepository } from './ca-usage.repository.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { CertificateAuthorities } from './certificate-authorities.js';
import { CertificateObjectsRepository } from './certificate-objects.repository.js';
import { CertificateObjects } from './certificate-objects.service.js';
import { CertificatesRepository, ServedCertificates } from './certificates.repository.js';
import { CertificatesSweeper, UnusedKeysRepository, UnusedKeysSweeper } from './certificates.sweeper.js';
import { ChallengeMethods, ChallengeMethodsRepository } from './challenge-methods.service.js';
import { IssuanceOutcomes } from './issuance-outcomes.service.js';
import { IssuancePlans } from './issuance-plans.service.js';
import { LimitedDomainsRepository } from './limited-domains.repository.js';
import { OpenOrdersRepository } from './open-orders.repository.js';
import { OpenOrders, UnhandledReports } from './open-orders.service.js';
import { OrderLines } from './order-lines.js';
import { OrderQueueRepository } from './order-queue.repository.js';
import { OrderQueue } from './order-queue.service.js';
import { OwnCertificatesRepository } from './own/own-certificates.repository.js';
import { RevocationChecksRepository } from './own/revocation-checks.repository.js';
import { PlatformCertificateObjects } from './platform/platform-certificate-objects.js';
import { PlatformCertificateOutcomes } from './platform/platform-certificate-outcomes.service.js';
import { PlatformCertificateDispatcher } from './platform/platform-certificate.dispatcher.js';
import { PlatformCertificatesRepository } from './platform/platform-certificates.repository.js';
import { PlatformOrdersRepository } from './platform/platform-orders.repository.js';
import {
  RevocationDispatcher,
  RevocationEventsController,
  RevocationOutcomes,
} from './revocations/revocation-outcomes.service.js';
import { RevocationsRepository, RevocationsService } from './revocations/revocations.service.js';

/** Every certificate: its order or upload, the limits of the CAs, stored objects, revocation. */
@Module({
  controllers: [AcmeAccountEventsController, RevocationEventsController],
  providers: [
    AcmeAccountsService,
    CaPausesRepository,
    CaReadingsRepository,
    CaSelectionLoader,
    CaUsageRepository,
    CertificateAttemptsRepository,
    CertificateAuthorities,
    CertificateObjects,
    CertificateObjectsRepository,
    CertificatesRepository,
    CertificatesSweeper,
    ChallengeMethods,
    ChallengeMethodsRepository,
    IssuanceOutcomes,
    IssuancePlans,
    LimitedDomainsRepository,
    OpenOrders,
    OpenOrdersRepository,
    OrderLines,
    OrderQueue,
    OrderQueueRepository,
    OwnCertificatesRepository,
    PlatformCertificateDispatcher,
    PlatformCertificateObjects,
    PlatformCertificateOutcomes,
    PlatformCertificatesRepository,
    PlatformOrdersRepository,
    RevocationChecksRepository,
    RevocationDispatcher,
    RevocationOutcomes,
    RevocationsRepository,
    RevocationsService,
    ServedCertificates,
    UnhandledReports,
    UnusedKeysRepository,
    UnusedKeysSweeper,
  ],
  exports: [
    CaReadingsRepository,
    CertificateAttemptsRepository,
    CertificateObjects,
    CertificatesRepository,
    ChallengeMethods,
    IssuanceOutcomes,
    IssuancePlans,
    OpenOrders,
    OpenOrdersRepository,
    OrderLines,
    OwnCertificatesRepository,
    PlatformCertificateOutcomes,
    RevocationChecksRepository,
    RevocationsService,
    ServedCertificates,
  ],
})
export class CertificatesModule {
  /** @param imports the modules that provide projects, the schedule, `EdgeFeed` and `PlatformCertificateFeed` */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: CertificatesModule, imports: [NamesModule, ...imports] };
  }
}
