import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { HttpModule } from '../http/http.module.js';
import { OccurrencePublisher } from '../lifecycle/domain-occurrences.js';
import { NamesModule } from '../names/names.module.js';
import { WebhookListenersController } from './listeners/webhook-listeners.controller.js';
import { WebhookListeners, WebhookListenersRepository } from './listeners/webhook-listeners.service.js';
import {
  EventStreams,
  ProjectStreams,
  StreamAccessRepository,
  StreamRightsCheck,
} from './streams/event-streams.service.js';
import { HistoryController } from './streams/history.controller.js';
import { ProjectChangesRepository } from './streams/project-changes.repository.js';
import { ProjectEventBroadcaster } from './streams/project-event-broadcaster.js';
import { WebhookSecretsRepository } from './webhooks/sign-webhook.js';
import { WebhookDeliveriesController } from './webhooks/webhook-deliveries.controller.js';
import { WebhookDeliveriesRepository } from './webhooks/webhook-deliveries.repository.js';
import { WebhookDispatcher, WebhookJobBuilder } from './webhooks/webhook-dispatcher.js';
import { WebhookEndpointsController } from './webhooks/webhook-endpoints.controller.js';
import { WebhookEndpointsRepository } from './webhooks/webhook-endpoints.repository.js';
import { WebhookDeliveriesService, WebhookEndpointsService } from './webhooks/webhook-endpoints.service.js';
import { WebhookOccurrencePublisher } from './webhooks/webhook-occurrence-publisher.js';
import { WebhookEventsController, WebhookOutcomes } from './webhooks/webhook-outcomes.service.js';
import { WebhookStatisticsRepository } from './webhooks/webhook-statistics.repository.js';
import { WebhookWorkRepository } from './webhooks/webhook-work.repository.js';

/** Webhook endpoints and their deliveries. The module `lifecycle` owns the interface through which it publishes events here. */
@Module({
  controllers: [WebhookEndpointsController, WebhookDeliveriesController, WebhookEventsController],
  providers: [
    WebhookDeliveriesRepository,
    WebhookDeliveriesService,
    WebhookDispatcher,
    WebhookEndpointsRepository,
    WebhookEndpointsService,
    WebhookJobBuilder,
    WebhookOccurrencePublisher,
    WebhookOutcomes,
    WebhookSecretsRepository,
    WebhookStatisticsRepository,
    WebhookWorkRepository,
    { provide: OccurrencePublisher, useExisting: WebhookOccurrencePublisher },
  ],
  exports: [OccurrencePublisher, WebhookEndpointsRepository],
})
export class WebhooksModule {
  /** @param imports the module that provides projects */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: WebhooksModule, imports: [HttpModule, AccessModule, ...imports] };
  }
}

/** The history of projects and domains, in pages and as a stream. Separate from webhooks, since it reads domains. */
@Module({
  controllers: [HistoryController],
  providers: [
    EventStreams,
    ProjectChangesRepository,
    ProjectEventBroadcaster,
    ProjectStreams,
    StreamAccessRepository,
    StreamRightsCheck,
  ],
  exports: [EventStreams, ProjectStreams],
})
export class EventStreamsModule {
  /** @param imports the module that provides domains */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: EventStreamsModule, imports: [HttpModule, NamesModule, ...imports] };
  }
}

/** Streams that receive webhook events. Separate from webhooks, since domains import those, and streams read domains. */
@Module({
  controllers: [WebhookListenersController],
  providers: [WebhookListeners, WebhookListenersRepository],
})
export class WebhookListenersModule {
  /** @param imports the modules that provide projects and event streams */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: WebhookListenersModule, imports: [HttpModule, AccessModule, ...imports] };
  }
}
