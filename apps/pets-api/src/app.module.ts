import { Module, type DynamicModule } from '@nestjs/common';
import { messageAuthenticationOf, openMessaging, openQueueTelemetry } from '@pets/messaging';
import { NotificationListener, openDatabase, Pipeline } from '@pets/persistence';
import { openFileStorage, type Logger } from '@pets/platform';
import { ApiKeyGrants } from './access/api-keys/api-key-grants.service.js';
import { ApiKeysController } from './access/api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './access/api-keys/api-keys.repository.js';
import { ApiKeysService } from './access/api-keys/api-keys.service.js';
import { Authenticator } from './access/api-keys/authenticator.js';
import { EndedKeysSweeper } from './access/api-keys/ended-keys.sweeper.js';
import { LastUse } from './access/api-keys/last-use.js';
import { PrincipalCache } from './access/api-keys/principal-cache.js';
import { SessionsController } from './access/sessions/sessions.controller.js';
import { SessionsRepository } from './access/sessions/sessions.repository.js';
import { SessionsService } from './access/sessions/sessions.service.js';
import { AcmeAccountsService } from './domains/certificates/acme-accounts.service.js';
import { AuditEventsController } from './access/audit/audit-events.controller.js';
import { AuditEventsSweeper } from './access/audit/audit-events.sweeper.js';
import { AuditLog } from './access/audit/audit-log.js';
import { CertificatesRepository } from './domains/certificates/certificates.repository.js';
import { IssuanceOutcomes } from './domains/certificates/issuance-outcomes.service.js';
import { IssuancePlans } from './domains/certificates/issuance-plans.service.js';
import { LedgerRepository } from './domains/certificates/ledger.repository.js';
import { UnusedKeysSweeper } from './domains/certificates/unused-keys.sweeper.js';
import type { Clock } from './platform/clock.js';
import type { Config } from './platform/config.js';
import { DashboardController } from './http/dashboard/dashboard.controller.js';
import { readDashboard } from './http/dashboard/dashboard-files.js';
import { BundlesRepository } from './projects/deployments/bundles.repository.js';
import { DeploymentCollection } from './projects/deployments/deployment-collection.service.js';
import { DeploymentRegistration } from './projects/deployments/deployment-registration.service.js';
import { DeploymentsController } from './projects/deployments/deployments.controller.js';
import { DeploymentsRepository } from './projects/deployments/deployments.repository.js';
import { DeploymentsService } from './projects/deployments/deployments.service.js';
import { DeploymentsSweeper } from './projects/deployments/deployments.sweeper.js';
import { StoredObjectsRepository } from './projects/deployments/stored-objects.repository.js';
import { UploadSlots } from './projects/deployments/upload-slots.js';
import { UploadSpace } from './projects/deployments/upload-space.js';
import { UploadsSweeper } from './projects/deployments/uploads.sweeper.js';
import { AttemptsRepository } from './domains/attempts.repository.js';
import { Dispatcher } from './domains/dispatch/dispatcher.js';
import { DomainConfigController } from './domains/domain-config.controller.js';
import { DomainConfigService } from './domains/domain-config.service.js';
import { AddDomainService } from './domains/add-domain.service.js';
import { DomainEventsController } from './domains/lifecycle/domain-events.controller.js';
import { DomainHistoryRepository } from './domains/history/domain-history.repository.js';
import { DomainPresenter } from './domains/domain-presenter.js';
import { DomainsController } from './domains/domains.controller.js';
import { DomainWriter } from './domains/lifecycle/domain-writer.js';
import { DomainsRepository } from './domains/domains.repository.js';
import { DomainsService } from './domains/domains.service.js';
import { HistoryController } from './domains/history/history.controller.js';
import { JobBuilder } from './domains/dispatch/job-builder.js';
import { LifecycleService } from './domains/lifecycle/lifecycle.service.js';
import { WorkRepository } from './domains/dispatch/work.repository.js';
import { EdgeAcks } from './edge/edge-acks.js';
import { EdgeFeedController } from './edge/edge-feed.controller.js';
import { EdgeFeedRepository } from './edge/edge-feed.repository.js';
import { GatewayController } from './edge/gateway.controller.js';
import { RoutePublisher } from './edge/route-publisher.js';
import { StoppingTrafficRepository } from './edge/stopping-traffic.repository.js';
import { StoppingTraffic } from './edge/stopping-traffic.service.js';
import { EventStreams } from './events/streams/event-streams.service.js';
import { ProjectChangesRepository } from './events/streams/project-changes.repository.js';
import { ProjectEventBroadcaster } from './events/streams/project-event-broadcaster.js';
import { StreamAccessRepository } from './events/streams/stream-access.repository.js';
import { HealthController } from './http/health.controller.js';
import { Idempotency } from './http/idempotency/idempotency.service.js';
import { IdempotentAnswersRepository } from './http/idempotency/idempotent-answers.repository.js';
import { IdempotentAnswersSweeper } from './http/idempotency/idempotent-answers.sweeper.js';
import { KeyCheck } from './platform/encryption-keys/key-check.js';
import { LimitsService } from './access/limits/limits.service.js';
import { Pages } from './http/paging/pages.js';
import { DocsController } from './http/openapi/docs.controller.js';
import { OpenApiController } from './http/openapi/openapi.controller.js';
import { ApiMetrics } from './platform/metrics/api-metrics.js';
import { observeEvents } from './platform/metrics/observed-events.js';
import { MetricsEndpoint } from './platform/metrics/metrics.endpoint.js';
import { ReadingsRepository } from './platform/metrics/readings.repository.js';
import { ProblemsController } from './http/openapi/problems.controller.js';
import { OrdersController } from './store/orders/orders.controller.js';
import { OrdersRepository } from './store/orders/orders.repository.js';
import { OrdersService } from './store/orders/orders.service.js';
import { OrganizationController } from './access/organizations/organization.controller.js';
import { OrganizationsRepository } from './access/organizations/organizations.repository.js';
import { UsageService } from './access/organizations/usage.service.js';
import { DeprecatedCallsCounter } from './store/pets/deprecated-calls.counter.js';
import { DeprecatedCallsRepository } from './store/pets/deprecated-calls.repository.js';
import { GetPetNoticeController } from './store/pets/get-pet-notice.controller.js';
import { PetsController } from './store/pets/pets.controller.js';
import { PetsPageQuery } from './store/pets/pets-page.query.js';
import { PetsRoutes } from './store/pets/pets.routes.js';
import { PetsRepository } from './store/pets/pets.repository.js';
import { PlanChangesRepository } from './domains/plan-changes/plan-changes.repository.js';
import { PlanChangesService } from './domains/plan-changes/plan-changes.service.js';
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
} from './platform/providers.js';
import { RateLimiter } from './http/rate-limit/rate-limiter.js';
import { RevocationDispatcher } from './domains/revocations/revocation-dispatcher.js';
import { RevocationEventsController } from './domains/revocations/revocation-events.controller.js';
import { RevocationOutcomes } from './domains/revocations/revocation-outcomes.service.js';
import { RevocationsRepository } from './domains/revocations/revocations.repository.js';
import { RevocationsService } from './domains/revocations/revocations.service.js';
import { RevocationsSweeper } from './domains/revocations/revocations.sweeper.js';
import { ShuttingDown } from './platform/shutting-down.js';
import { BlockedNamesRepository } from './domains/suspensions/blocked-names.repository.js';
import { SuspensionGuard } from './domains/suspensions/suspension.guard.js';
import { SuspensionsRepository } from './domains/suspensions/suspensions.repository.js';
import { SuspensionsService } from './domains/suspensions/suspensions.service.js';
import { WebhookDeliveriesRecorder } from './events/webhooks/webhook-deliveries.recorder.js';
import { WebhookDeliveriesController } from './events/webhooks/webhook-deliveries.controller.js';
import { WebhookDeliveriesRepository } from './events/webhooks/webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './events/webhooks/webhook-deliveries.service.js';
import { WebhookDispatcher } from './events/webhooks/webhook-dispatcher.js';
import { WebhookEndpointsController } from './events/webhooks/webhook-endpoints.controller.js';
import { WebhookEndpointsRepository } from './events/webhooks/webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './events/webhooks/webhook-endpoints.service.js';
import { WebhookEventsController } from './events/webhooks/webhook-events.controller.js';
import { WebhookJobBuilder } from './events/webhooks/webhook-job-builder.js';
import { WebhookOutcomes } from './events/webhooks/webhook-outcomes.service.js';
import { WebhookSecretsRepository } from './events/webhooks/webhook-secrets.repository.js';
import { WebhooksSweeper } from './events/webhooks/webhooks.sweeper.js';
import { WebhookWorkRepository } from './events/webhooks/webhook-work.repository.js';

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
        UnusedKeysSweeper,
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
        AddDomainService,
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
        ProjectEventBroadcaster,
        EventStreams,
        ReadingsRepository,
        MetricsEndpoint,
      ],
    };
  }
}
