import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { NamesModule } from '../names/names.module.js';
import { AcmeAccountEventsController } from './acme-account-events.controller.js';
import { AcmeAccountsService } from './acme-accounts.service.js';
import { CaPausesRepository } from './ca-pauses.repository.js';
import { CaReadingsRepository } from './ca-readings.repository.js';
import { CaSelections } from './ca-selections.js';
import { CaUsageRepository } from './ca-usage.repository.js';
import { CertificateAttemptsRepository } from './certificate-attempts.repository.js';
import { CertificateObjectsRepository } from './certificate-objects.repository.js';
import { CertificateObjects } from './certificate-objects.service.js';
import { CertificateObjectsSweeper } from './certificate-objects.sweeper.js';
import { CertificatesRepository } from './certificates.repository.js';
import { ChallengeMethodsRepository } from './challenge-methods.repository.js';
import { ChallengeMethods } from './challenge-methods.service.js';
import { ChallengeRoutes } from './challenge-routes.js';
import { IssuanceOutcomes } from './issuance-outcomes.service.js';
import { IssuancePlans } from './issuance-plans.service.js';
import { OpenOrdersRepository } from './open-orders.repository.js';
import { OpenOrders, UnhandledReports } from './open-orders.service.js';
import { OrderAccounts } from './order-accounts.js';
import { OrderQueueRepository } from './order-queue.repository.js';
import { OrderQueue } from './order-queue.service.js';
import { OwnCertificateObjects } from './own/own-certificate-objects.js';
import { OwnCertificatesRepository } from './own/own-certificates.repository.js';
import { RevocationChecksRepository } from './own/revocation-checks.repository.js';
import { ParkedOrdersRepository } from './parked-orders.repository.js';
import { ParkedOrders } from './parked-orders.service.js';
import { PlatformCertificateObjects } from './platform/platform-certificate-objects.js';
import { PlatformCertificateOutcomes } from './platform/platform-certificate-outcomes.service.js';
import { PlatformCertificateDispatcher } from './platform/platform-certificate.dispatcher.js';
import { PlatformCertificatesRepository } from './platform/platform-certificates.repository.js';
import { PlatformOrdersRepository } from './platform/platform-orders.repository.js';
import { RevocationDispatcher } from './revocations/revocation-dispatcher.js';
import { RevocationEventsController } from './revocations/revocation-events.controller.js';
import { RevocationOutcomes } from './revocations/revocation-outcomes.service.js';
import { RevocationsRepository } from './revocations/revocations.repository.js';
import { RevocationsService } from './revocations/revocations.service.js';
import { ServedCertificates } from './served-certificates.js';
import { UnusedKeysRepository } from './unused-keys.repository.js';
import { UnusedKeysSweeper } from './unused-keys.sweeper.js';
import { UsableAccounts } from './usable-accounts.js';

/** Every certificate: its order or upload, the limits of the CAs, stored objects, revocation. */
@Module({
  controllers: [AcmeAccountEventsController, RevocationEventsController],
  providers: [
    AcmeAccountsService,
    CaPausesRepository,
    CaReadingsRepository,
    CaSelections,
    CaUsageRepository,
    CertificateAttemptsRepository,
    CertificateObjects,
    CertificateObjectsRepository,
    CertificateObjectsSweeper,
    CertificatesRepository,
    ChallengeMethods,
    ChallengeMethodsRepository,
    ChallengeRoutes,
    IssuanceOutcomes,
    IssuancePlans,
    OpenOrders,
    OpenOrdersRepository,
    OrderAccounts,
    OrderQueue,
    OrderQueueRepository,
    OwnCertificateObjects,
    OwnCertificatesRepository,
    ParkedOrders,
    ParkedOrdersRepository,
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
    UsableAccounts,
  ],
  exports: [
    CaReadingsRepository,
    CertificateAttemptsRepository,
    CertificatesRepository,
    ChallengeMethods,
    ChallengeRoutes,
    IssuanceOutcomes,
    IssuancePlans,
    OpenOrders,
    OpenOrdersRepository,
    OrderAccounts,
    OwnCertificateObjects,
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
