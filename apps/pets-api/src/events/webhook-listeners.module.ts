import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { HttpModule } from '../http/http.module.js';
import { WebhookListenersRepository } from './listeners/webhook-listeners.repository.js';
import { WebhookListeners, WebhookListenersController } from './listeners/webhook-listeners.controller.js';

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
