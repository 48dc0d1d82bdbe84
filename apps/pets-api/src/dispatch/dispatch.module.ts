import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { EdgeModule } from '../edge/edge.module.js';
import { NamesModule } from '../names/names.module.js';
import { Dispatcher } from './dispatcher.js';
import { JobBuilder, ProbeSamples } from './job-builder.js';
import { PreparedHandshakes } from './prepared-handshakes.service.js';

/** Turns due work into jobs of the worker. */
@Module({
  providers: [Dispatcher, JobBuilder, PreparedHandshakes, ProbeSamples],
})
export class DispatchModule {
  /** @param imports the modules that provide the schedule, certificates and the lifecycle */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: DispatchModule, imports: [NamesModule, EdgeModule, ...imports] };
  }
}
