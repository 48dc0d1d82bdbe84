import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { HttpModule } from '../http/http.module.js';
import { OccurrencePublisher } from '../lifecycle/domain-occurrences.js';
import { WebhookSecretsRepository } from './webhooks/sign-webhook.js';
import { WebhookDeliveriesController, WebhookDeliveriesService } from './webhooks/webhook-deliveries.controller.js';
import { WebhookDeliveriesRepository } from './webhooks/webhook-deliveries.repository.js';
import { WebhookDispatcher, WebhookJobBuilder } from './webhooks/webhook-dispatcher.js';
import { WebhookEndpointsController } from './webhooks/webhook-endpoints.controller.js';
import { WebhookEndpointsRepository } from './webhooks/webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './webhooks/webhook-endpoints.service.js';
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
