import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { DueQueues, DueWorkRepository } from './due-work.repository.js';
import { DueWork } from './due-work.js';
import { WorkRepository } from './work.repository.js';

/** The schedule: rows of due work, in lanes in which organizations take turns, and leases of them. */
@Module({
  providers: [DueQueues, DueWork, DueWorkRepository, WorkRepository],
  exports: [DueQueues, DueWork, WorkRepository],
})
export class ScheduleModule {
  /** @param imports the module that provides `EdgeFeed` */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: ScheduleModule, imports };
  }
}
