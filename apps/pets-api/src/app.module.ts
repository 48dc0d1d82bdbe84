import { Module, type DynamicModule } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { CertificatesModule } from './certificates/certificates.module.js';
import { DispatchModule } from './dispatch/dispatch.module.js';
import { DomainsModule } from './domains/domains.module.js';
import { EdgeModule } from './edge/edge.module.js';
import { EventStreamsModule, WebhookListenersModule, WebhooksModule } from './events/events.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { HttpModule } from './http/http.module.js';
import { StartPageModule } from './http/start-page.module.js';
import { LifecycleModule } from './lifecycle/lifecycle.module.js';
import { NamesModule } from './names/names.module.js';
import { PlatformModule, type PlatformOptions } from './platform/platform.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { MonitoringModule, RetentionModule } from './operations/operations.module.js';
import { ScheduleModule } from './schedule/schedule.module.js';
import { SetupModule } from './setup/setup.module.js';
import { StoreModule } from './store/store.module.js';
import { UsageModule } from './usage/usage.module.js';

/**
 * Lists the modules, and gives each those that implement its interfaces: projects and domains publish routes and occurrences
 * without importing edges and webhooks. The order is the one in which they may import each other; see
 * docs/decisions/0049-feature-modules.md.
 */
@Module({})
export class AppModule {
  static register(options: PlatformOptions): DynamicModule {
    const projects = ProjectsModule.register({ imports: [EdgeModule] });
    const webhooks = WebhooksModule.register({ imports: [projects] });
    const schedule = ScheduleModule.register({ imports: [EdgeModule] });
    const certificates = CertificatesModule.register({ imports: [projects, schedule, EdgeModule] });
    const lifecycle = LifecycleModule.register({ imports: [projects, schedule, certificates, webhooks] });
    const domains = DomainsModule.register({ imports: [projects, schedule, certificates, lifecycle] });
    const streams = EventStreamsModule.register({ imports: [domains] });
    return {
      module: AppModule,
      imports: [
        PlatformModule.register(options),
        HttpModule,
        ...(options.config.ENVIRONMENT === 'development' ? [StartPageModule] : []),
        AccessModule,
        StoreModule,
        projects,
        NamesModule,
        schedule,
        certificates,
        EdgeModule,
        lifecycle,
        DispatchModule.register({ imports: [schedule, certificates, lifecycle] }),
        domains,
        webhooks,
        streams,
        WebhookListenersModule.register({ imports: [projects, streams] }),
        ExplainModule.register({ imports: [projects] }),
        SetupModule.register({ imports: [projects, domains, streams] }),
        UsageModule.register({ imports: [projects, domains, webhooks] }),
        RetentionModule,
        MonitoringModule.register({ imports: [certificates, streams] }),
      ],
    };
  }
}
