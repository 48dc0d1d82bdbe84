import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { HttpModule } from '../http/http.module.js';
import { AddDomainService } from './add-domain.service.js';
import { AcmeAccountEventsController } from '../certificates/acme-account-events.controller.js';
import { AcmeAccountsService } from '../certificates/acme-accounts.service.js';
import { CaPausesRepository } from '../certificates/ca-pauses.repository.js';
import { CaReadingsRepository } from '../certificates/ca-readings.repository.js';
import { CaSelections } from '../certificates/ca-selections.js';
import { CaUsageRepository } from '../certificates/ca-usage.repository.js';
import { CertificateAttemptsRepository } from '../certificates/certificate-attempts.repository.js';
import { CertificateObjectsRepository } from '../certificates/certificate-objects.repository.js';
import { CertificateObjects } from '../certificates/certificate-objects.service.js';
import { CertificateObjectsSweeper } from '../certificates/certificate-objects.sweeper.js';
import { CertificatesRepository } from '../certificates/certificates.repository.js';
import { ChallengeRoutes } from '../certificates/challenge-routes.js';
import { IssuanceOutcomes } from '../certificates/issuance-outcomes.service.js';
import { ChallengeMethodsRepository } from '../certificates/challenge-methods.repository.js';
import { ChallengeMethods } from '../certificates/challenge-methods.service.js';
import { IssuancePlans } from '../certificates/issuance-plans.service.js';
import { OpenOrdersRepository } from '../certificates/open-orders.repository.js';
import { UnhandledReports } from '../certificates/unhandled-reports.js';
import { OpenOrders } from '../certificates/open-orders.service.js';
import { OrderAccounts } from '../certificates/order-accounts.js';
import { OrderQueueRepository } from '../certificates/order-queue.repository.js';
import { OrderQueue } from '../certificates/order-queue.service.js';
import { ParkedOrdersRepository } from '../certificates/parked-orders.repository.js';
import { ParkedOrders } from '../certificates/parked-orders.service.js';
import { ServedCertificates } from '../certificates/served-certificates.js';
import { UnusedKeysRepository } from '../certificates/unused-keys.repository.js';
import { UnusedKeysSweeper } from '../certificates/unused-keys.sweeper.js';
import { UsableAccounts } from '../certificates/usable-accounts.js';
import { CheckDomainService } from './check-domain.service.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import { DueWork } from '../schedule/due-work.js';
import { JobBuilder } from '../dispatch/job-builder.js';
import { ProbeSamples } from '../dispatch/probe-samples.js';
import { DueQueues } from '../schedule/due-queues.js';
import { DueWorkRepository } from '../schedule/due-work.repository.js';
import { WorkRepository } from '../schedule/work.repository.js';
import { DomainAdditions } from './domain-additions.js';
import { DomainAdmission } from './domain-admission.js';
import { DomainBatchesController } from './domain-batches.controller.js';
import { DomainBatchesService } from './domain-batches.service.js';
import { DomainConfigController } from './domain-config.controller.js';
import { DomainConfigService } from './domain-config.service.js';
import { DomainCountsRepository } from '../names/domain-counts.repository.js';
import { DomainInsertion } from './domain-insertion.js';
import { DomainLabels } from './domain-labels.service.js';
import { DomainListsController } from './domain-lists.controller.js';
import { DomainListsRepository } from './domain-lists.repository.js';
import { DomainOccurrences } from '../lifecycle/domain-occurrences.js';
import { DomainPresenter } from '../lifecycle/domain-presenter.js';
import { DomainRemovals } from './domain-removals.js';
import { DomainsController } from './domains.controller.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { DomainsService } from './domains.service.js';
import { DomainHistoryRepository } from '../names/domain-history.repository.js';
import { DomainImportsController } from './imports/domain-imports.controller.js';
import { DomainImportsRepository } from './imports/domain-imports.repository.js';
import { DomainImports } from './imports/domain-imports.service.js';
import { ImportRunner } from './imports/import-runner.js';
import { CertificateEventsController } from '../lifecycle/certificate-events.controller.js';
import { DnsEventsController } from '../lifecycle/dns-events.controller.js';
import { DomainContexts } from '../lifecycle/domain-context.js';
import { DomainWriter } from '../lifecycle/domain-writer.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { ProbeEventsController } from '../lifecycle/probe-events.controller.js';
import { ExclusionsController } from './exclusions/exclusions.controller.js';
import { LiftExclusionService } from './exclusions/lift-exclusion.service.js';
import { WildcardExclusionsRepository } from '../names/wildcard-exclusions.repository.js';
import { DomainMovesController } from './moves/domain-moves.controller.js';
import { DomainMovesRepository } from './moves/domain-moves.repository.js';
import { MoveDomainService } from './moves/move-domain.service.js';
import { MoveRecords } from './moves/move-records.js';
import { OwnCertificateChanges } from './own-certificates/own-certificate-changes.js';
import { OwnCertificateLoops } from './own-certificates/own-certificate-loops.js';
import { OwnCertificateObjects } from '../certificates/own/own-certificate-objects.js';
import {
  OwnCertificatesController,
  RevocationChecksController,
} from './own-certificates/own-certificates.controller.js';
import { OwnCertificatesRepository } from '../certificates/own/own-certificates.repository.js';
import { OwnCertificates } from './own-certificates/own-certificates.service.js';
import { RevocationChecksRepository } from '../certificates/own/revocation-checks.repository.js';
import { PlatformCertificateObjects } from '../certificates/platform/platform-certificate-objects.js';
import { PlatformCertificateOutcomes } from '../certificates/platform/platform-certificate-outcomes.service.js';
import { PlatformCertificateDispatcher } from '../certificates/platform/platform-certificate.dispatcher.js';
import { PlatformCertificatesRepository } from '../certificates/platform/platform-certificates.repository.js';
import { PlatformOrdersRepository } from '../certificates/platform/platform-orders.repository.js';
import { PlanChangesLoop } from './plan-changes/plan-changes.loop.js';
import { PlanChangesRepository } from './plan-changes/plan-changes.repository.js';
import { PlanChangesService } from './plan-changes/plan-changes.service.js';
import { PreparedHandshakes } from '../dispatch/prepared-handshakes.service.js';
import { PublicAddresses } from '../names/public-addresses.js';
import { PublicAddressesRepository } from '../names/public-addresses.repository.js';
import { RemoveDomainService } from './remove-domain.service.js';
import { ReverifyPolicy } from './reverify-policy.js';
import { RevocationDispatcher } from '../certificates/revocations/revocation-dispatcher.js';
import { RevocationEventsController } from '../certificates/revocations/revocation-events.controller.js';
import { RevocationOutcomes } from '../certificates/revocations/revocation-outcomes.service.js';
import { RevocationsRepository } from '../certificates/revocations/revocations.repository.js';
import { RevocationsService } from '../certificates/revocations/revocations.service.js';
import { StoppingTrafficRepository } from '../names/stopping-traffic.repository.js';
import { StoppingTraffic } from './stopping-traffic.service.js';
import { BlockedNamesRepository } from '../names/blocked-names.repository.js';
import { SuspensionEffects } from './suspensions/suspension-effects.js';
import { SuspensionsService } from './suspensions/suspensions.service.js';

/** Custom domains: their lifecycle, certificates, due work, history, and what suspends them. */
@Module({
  controllers: [
    DomainListsController,
    DomainsController,
    DomainBatchesController,
    DomainImportsController,
    DomainMovesController,
    ExclusionsController,
    OwnCertificatesController,
    DomainConfigController,
    DnsEventsController,
    CertificateEventsController,
    AcmeAccountEventsController,
    ProbeEventsController,
    RevocationEventsController,
    RevocationChecksController,
  ],
  providers: [
    AcmeAccountsService,
    AddDomainService,
    BlockedNamesRepository,
    CaPausesRepository,
    CaReadingsRepository,
    CaSelections,
    CaUsageRepository,
    CertificateAttemptsRepository,
    CertificateObjects,
    CertificateObjectsRepository,
    CertificateObjectsSweeper,
    CertificatesRepository,
    ChallengeRoutes,
    CheckDomainService,
    Dispatcher,
    DomainAdditions,
    DomainAdmission,
    DomainBatchesService,
    DomainConfigService,
    DomainContexts,
    DomainCountsRepository,
    DomainHistoryRepository,
    DomainImports,
    DomainImportsRepository,
    DomainInsertion,
    DomainLabels,
    DomainListsRepository,
    DomainMovesRepository,
    DomainOccurrences,
    DomainPresenter,
    DomainRemovals,
    DomainsRepository,
    DomainsService,
    DomainWriter,
    DueWork,
    ImportRunner,
    IssuanceOutcomes,
    ChallengeMethodsRepository,
    ChallengeMethods,
    IssuancePlans,
    JobBuilder,
    LifecycleService,
    LiftExclusionService,
    MoveDomainService,
    MoveRecords,
    OpenOrders,
    UnhandledReports,
    OpenOrdersRepository,
    OrderAccounts,
    OrderQueue,
    OrderQueueRepository,
    OwnCertificateChanges,
    OwnCertificateLoops,
    OwnCertificateObjects,
    OwnCertificates,
    OwnCertificatesRepository,
    ParkedOrders,
    ParkedOrdersRepository,
    PlanChangesLoop,
    PlanChangesRepository,
    PlanChangesService,
    PlatformCertificateDispatcher,
    PlatformCertificateObjects,
    PlatformCertificateOutcomes,
    PlatformCertificatesRepository,
    PlatformOrdersRepository,
    PreparedHandshakes,
    ProbeSamples,
    PublicAddresses,
    PublicAddressesRepository,
    RemoveDomainService,
    ReverifyPolicy,
    RevocationChecksRepository,
    RevocationDispatcher,
    RevocationOutcomes,
    RevocationsRepository,
    RevocationsService,
    ServedCertificates,
    StoppingTraffic,
    StoppingTrafficRepository,
    SuspensionEffects,
    SuspensionsService,
    UnusedKeysRepository,
    UnusedKeysSweeper,
    UsableAccounts,
    WildcardExclusionsRepository,
    DueQueues,
    DueWorkRepository,
    WorkRepository,
  ],
  exports: [CaReadingsRepository, DomainCountsRepository, DomainHistoryRepository, DomainsService, PlanChangesService],
})
export class DomainsModule {
  /** @param imports the modules that provide projects, `EdgeFeed`, `EdgeAcknowledgements` and `OccurrencePublisher` */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: DomainsModule, imports: [HttpModule, AccessModule, ...imports] };
  }
}
