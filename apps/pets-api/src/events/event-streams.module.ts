import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { NamesModule } from '../names/names.module.js';
import { EventStreams, StreamAccessRepository, StreamRightsCheck } from './streams/event-streams.service.js';
import { HistoryController } from './streams/history.controller.js';
import { ProjectChangesRepository } from './streams/project-changes.repository.js';
import { ProjectEventBroadcaster } from './streams/project-event-broadcaster.js';
import { ProjectStreams } from './streams/project-streams.service.js';

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
