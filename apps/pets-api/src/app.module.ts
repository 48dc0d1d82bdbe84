import { Module, type DynamicModule } from '@nestjs/common';
import { messageAuthenticationOf, openMessaging, openQueueTelemetry } from '@pets/messaging';
import { NotificationListener, openDatabase, Pipeline } from '@pets/persistence';
import { openFileStorage, type Logger } from '@pets/platform';
import { ApiKeyGrants } from './api-keys/api-key-grants.service.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { Authenticator } from './api-keys/authenticator.js';
import { EndedKeysSweeper } from './api-keys/ended-keys.sweeper.js';
import { LastUse } from './api-keys/last-use.js';
import { PrincipalCache } from './api-keys/principal-cache.js';
import { SessionsController } from './api-keys/sessions.controller.js';
import { SessionsRepository } from './api-keys/sessions.repository.js';
import { SessionsService } from './api-keys/sessions.service.js';
import { AcmeAccountsService } from './certificates/acme-accounts.service.js';
import { AuditEventsController } from './audit/audit-events.controller.js';
import { AuditEventsSweeper } from './audit/audit-events.sweeper.js';
import { AuditLog } from './audit/audit-log.js';
import { CertificatesRepository } from './certificates/certificates.repository.js';
import { IssuanceOutcomes } from './certificates/issuance-outcomes.service.js';
import { IssuancePlans } from './certificates/issuance-plans.service.js';
import { LedgerRepository } from './certificates/ledger.repository.js';
import { VoidKeysSweeper } from './certificates/void-keys.sweeper.js';
import type { Clock } from './clock.js';
import type { Config } from './config.js';
import { DashboardController } from './dashboard/dashboard.controller.js';
import { readDashboard } from './dashboard/dashboard-files.js';
import { BundlesRepository } from './deployments/bundles.repository.js';
import { DeploymentCollection } from './deployments/deployment-collection.service.js';
import { DeploymentRegistration } from './deployments/deployment-registration.service.js';
import { DeploymentsController } from './deployments/deployments.controller.js';
import { DeploymentsRepository } from './deployments/deployments.repository.js';
import { DeploymentsService } from './deployments/deployments.service.js';
import { DeploymentsSweeper } from './deployments/deployments.sweeper.js';
import { StoredObjectsRepository } from './deployments/stored-objects.repository.js';
import { UploadSlots } from './deployments/upload-slots.js';
import { UploadSpace } from './deployments/upload-space.js';
import { UploadsSweeper } from './deployments/uploads.sweeper.js';
import { AttemptsRepository } from './domains/attempts.repository.js';
import { Dispatcher } from './domains/dispatcher.js';
import { DomainConfigController } from './domains/domain-config.controller.js';
import { DomainConfigService } from './domains/domain-config.service.js';
import { DomainAdditionsService } from './domains/domain-additions.service.js';
import { DomainEventsController } from './domains/domain-events.controller.js';
import { DomainHistoryRepository } from './domains/domain-history.repository.js';
import { DomainPresenter } from './domains/domain-presenter.js';
import { DomainsController } from './domains/domains.controller.js';
import { DomainWriter } from './domains/domain-writer.js';
import { DomainsRepository } from './domains/domains.repository.js';
import { DomainsService } from './domains/domains.service.js';
import { HistoryController } from './domains/history.controller.js';
import { JobBuilder } from './domains/job-builder.js';
import { LifecycleService } from './domains/lifecycle.service.js';
import { WorkRepository } from './domains/work.repository.js';
import { EdgeAcks } from './edge-feed/edge-acks.js';
import { EdgeFeedController } from './edge-feed/edge-feed.controller.js';
import { EdgeFeedRepository } from './edge-feed/edge-feed.repository.js';
import { GatewayController } from './edge-feed/gateway.controller.js';
import { RoutePublisher } from './edge-feed/route-publisher.js';
import { StoppingTrafficRepository } from './edge-feed/stopping-traffic.repository.js';
import { StoppingTraffic } from './edge-feed/stopping-traffic.service.js';
import { EventStreams } from './event-stream/event-streams.service.js';
import { ProjectChangesRepository } from './event-stream/project-changes.repository.js';
import { ProjectEventsFeed } from './event-stream/project-events.feed.js';
import { StreamAccessRepository } from './event-stream/stream-access.repository.js';
import { HealthController } from './http/health.controller.js';
import { Idempotency } from './idempotency/idempotency.service.js';
import { IdempotentAnswersRepository } from './idempotency/idempotent-answers.repository.js';
import { IdempotentAnswersSweeper } from './idempotency/idempotent-answers.sweeper.js';
import { KeyCheck } from './keys/key-check.js';
import { LimitsService } from './limits/limits.service.js';
import { Pages } from './listing/pages.js';
import { DocsController } from './openapi/docs.controller.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { ApiMetrics } from './metrics/api-metrics.js';
import { observeEvents } from './metrics/observed-events.js';
import { MetricsEndpoint } from './metrics/metrics.endpoint.js';
import { ReadingsRepository } from './metrics/readings.repository.js';
import { ProblemsController } from './openapi/problems.controller.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersRepository } from './orders/orders.repository.js';
import { OrdersService } from './orders/orders.service.js';
import { OrganizationController } from './organizations/organization.controller.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { UsageService } from './organizations/usage.service.js';
import { DeprecatedCallsCounter } from './pets/deprecated-calls.counter.js';
import { DeprecatedCallsRepository } from './pets/deprecated-calls.repository.js';
import { GetPetNoticeController } from './pets/get-pet-notice.controller.js';
import { PetsController } from './pets/pets.controller.js';
import { PetsPageQuery } from './pets/pets-page.query.js';
import { PetsRoutes } from './pets/pets.routes.js';
import { PetsRepository } from './pets/pets.repository.js';
import { PlanChangesRepository } from './plans/plan-changes.repository.js';
import { PlanChangesService } from './plans/plan-changes.service.js';
import { ProjectsController } from './projects/projects.controller.js';
import { ProjectSettings } from './projects/project-settings.service.js';
import { ProjectsRepository } from './projects/projects.repository.js';
import { ProjectPresenter } from './projects/project-presenter.js';
import { ReservedSlugs } from './projects/reserved-slugs.js';
import {
  CLOCK,
  CONFIG,
  DASHBOARD,
  DATABASE,
  LOG,
  MESSAGING,
  NOTIFICATIONS,
  READS,
  STORAGE,
  WRITES,
} from './providers.js';
import { RateLimiter } from './rate-limit/rate-limiter.js';
import { RevocationDispatcher } from './revocations/revocation-dispatcher.js';
import { RevocationEventsController } from './revocations/revocation-events.controller.js';
import { RevocationOutcomes } from './revocations/revocation-outcomes.service.js';
import { RevocationsRepository } from './revocations/revocations.repository.js';
import { RevocationsService } from './revocations/revocations.service.js';
import { RevocationsSweeper } from './revocations/revocations.sweeper.js';
import { ShuttingDown } from './shutting-down.js';
import { BlockedNamesRepository } from './suspensions/blocked-names.repository.js';
import { SuspensionGuard } from './suspensions/suspension.guard.js';
import { SuspensionsRepository } from './suspensions/suspensions.repository.js';
import { SuspensionsService } from './suspensions/suspensions.service.js';
import { WebhookDeliveriesRecorder } from './webhooks/webhook-deliveries.recorder.js';
import { WebhookDeliveriesController } from './webhooks/webhook-deliveries.controller.js';
import { WebhookDeliveriesRepository } from './webhooks/webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './webhooks/webhook-deliveries.service.js';
import { WebhookDispatcher } from './webhooks/webhook-dispatcher.js';
import { WebhookEndpointsController } from './webhooks/webhook-endpoints.controller.js';
import { WebhookEndpointsRepository } from './webhooks/webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './webhooks/webhook-endpoints.service.js';
import { WebhookEventsController } from './webhooks/webhook-events.controller.js';
import { WebhookJobBuilder } from './webhooks/webhook-job-builder.js';
import { WebhookOutcomes } from './webhooks/webhook-outcomes.service.js';
import { WebhookSecretsRepository } from './webhooks/webhook-secrets.repository.js';
import { WebhooksSweeper } from './webhooks/webhooks.sweeper.js';
import { WebhookWorkRepository } from './webhooks/webhook-work.repository.js';

@Module({})
export class AppModule {
  static create(config: Config, log: Logger, clock: Clock, metrics: ApiMetrics): DynamicModule {
    const onConnectionError = (error: Error) => log.warn({ err: error }, 'a database connection broke');
    const pipeline = { url: config.DATABASE_URL, onConnectionError };
    return {
      module: AppModule,
      controllers: [
        HealthController,
        ApiKeysController,
        SessionsController,
        AuditEventsController,
        PetsController,
        GetPetNoticeController,
        OrdersController,
        OrganizationController,
        ProjectsController,
        DeploymentsController,
        DomainsController,
        HistoryController,
        DomainConfigController,
        DomainEventsController,
        RevocationEventsController,
        WebhookEndpointsController,
        WebhookDeliveriesController,
        WebhookEventsController,
        EdgeFeedController,
        GatewayController,
        OpenApiController,
        DocsController,
        ProblemsController,
        DashboardController,
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: LOG, useValue: log },
        { provide: CLOCK, useValue: clock },
        { provide: ApiMetrics, useValue: metrics },
        { provide: DATABASE, useFactory: () => openDatabase({ url: config.DATABASE_URL, onConnectionError }) },
        { provide: READS, useFactory: () => new Pipeline({ ...pipeline, connections: 2 }) },
        { provide: WRITES, useFactory: () => new Pipeline({ ...pipeline, connections: 4 }) },
        {
          provide: NOTIFICATIONS,
          useFactory: async () => {
            const listener = new NotificationListener(config.DATABASE_URL, onConnectionError);
            await listener.open();
            return listener;
          },
        },
        {
          provide: MESSAGING,
          useFactory: async () => {
            const telemetry = config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? undefined : await openQueueTelemetry();
            const { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl } = config;
            const authentication = messageAuthenticationOf(config);
            const options = { redisUrl, databaseUrl, telemetry, authentication, observer: metrics, log };
            return observeEvents(openMessaging(options), metrics, log);
          },
        },
        { provide: STORAGE, useFactory: () => openFileStorage(config.STORAGE_URL) },
        { provide: DASHBOARD, useFactory: () => readDashboard(config.DASHBOARD_FOLDER) },
        ShuttingDown,
        LimitsService,
        KeyCheck,
        AuditLog,
        AuditEventsSweeper,
        ApiKeysRepository,
        ApiKeysService,
        ApiKeyGrants,
        EndedKeysSweeper,
        SessionsRepository,
        SessionsService,
        PrincipalCache,
        LastUse,
        Authenticator,
        IdempotentAnswersRepository,
        IdempotentAnswersSweeper,
        Idempotency,
        RateLimiter,
        Pages,
        PetsRepository,
        PetsPageQuery,
        PetsRoutes,
        DeprecatedCallsRepository,
        DeprecatedCallsCounter,
        OrdersRepository,
        OrdersService,
        OrganizationsRepository,
        UsageService,
        ProjectsRepository,
        ReservedSlugs,
        ProjectPresenter,
        ProjectSettings,
        DeploymentsRepository,
        DeploymentsService,
        BundlesRepository,
        DeploymentCollection,
        DeploymentRegistration,
        DeploymentsSweeper,
        StoredObjectsRepository,
        UploadSlots,
        UploadSpace,
        UploadsSweeper,
        CertificatesRepository,
        LedgerRepository,
        IssuancePlans,
        IssuanceOutcomes,
        VoidKeysSweeper,
        AcmeAccountsService,
        RevocationsRepository,
        RevocationsService,
        RevocationOutcomes,
        RevocationDispatcher,
        RevocationsSweeper,
        EdgeFeedRepository,
        EdgeAcks,
        StoppingTrafficRepository,
        StoppingTraffic,
        RoutePublisher,
        SuspensionsRepository,
        BlockedNamesRepository,
        SuspensionsService,
        PlanChangesRepository,
        PlanChangesService,
        SuspensionGuard,
        DomainsRepository,
        WorkRepository,
        AttemptsRepository,
        DomainHistoryRepository,
        WebhookDeliveriesRecorder,
        DomainWriter,
        LifecycleService,
        DomainPresenter,
        DomainAdditionsService,
        DomainsService,
        DomainConfigService,
        JobBuilder,
        Dispatcher,
        WebhookEndpointsRepository,
        WebhookSecretsRepository,
        WebhookEndpointsService,
        WebhookDeliveriesRepository,
        WebhookDeliveriesService,
        WebhookWorkRepository,
        WebhookJobBuilder,
        WebhookOutcomes,
        WebhookDispatcher,
        WebhooksSweeper,
        ProjectChangesRepository,
        StreamAccessRepository,
        ProjectEventsFeed,
        EventStreams,
        ReadingsRepository,
        MetricsEndpoint,
      ],
    };
  }
}
