import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { EdgeModule } from '../edge/edge.module.js';
import { NamesModule } from '../names/names.module.js';
import { CertificateEventsController, DnsEventsController, ProbeEventsController } from './worker-events.controller.js';
import { FactSourcesReader } from './domain-facts.js';
import { DomainOccurrences } from './domain-occurrences.js';
import { DomainPresenter } from './domain-presenter.js';
import { DomainWriter } from './domain-writer.js';
import { LifecycleService } from './lifecycle.service.js';
import { ResultInterpreter } from './result-interpreter.js';

/** Applies the lifecycle of domains to requests of owners and results of jobs, in one transaction each. */
@Module({
  controllers: [CertificateEventsController, DnsEventsController, ProbeEventsController],
  providers: [FactSourcesReader, DomainOccurrences, DomainPresenter, DomainWriter, LifecycleService, ResultInterpreter],
  exports: [DomainOccurrences, DomainPresenter, LifecycleService],
})
export class LifecycleModule {
  /** @param imports the modules that provide projects, the schedule, certificates and `OccurrencePublisher` */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: LifecycleModule, imports: [NamesModule, EdgeModule, ...imports] };
  }
}
