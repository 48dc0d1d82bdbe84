import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { HttpModule } from '../http/http.module.js';
import { NamesModule } from '../names/names.module.js';
import { SetupLinksController } from './setup-links.controller.js';
import { SetupLinksRepository, SetupLinksService } from './setup-links.service.js';
import { SetupLogosController, SetupPagesController } from './setup-pages.controller.js';
import { SetupPagesRepository } from './setup-pages.repository.js';
import { SetupSessions } from './setup-sessions.js';
import { SetupController } from './setup.controller.js';

/** Links with which the owner of a domain sets it up without an account. */
@Module({
  controllers: [SetupController, SetupLinksController, SetupLogosController, SetupPagesController],
  providers: [SetupLinksRepository, SetupLinksService, SetupPagesRepository, SetupSessions],
})
export class SetupModule {
  /** @param imports the modules that provide projects, domains and event streams */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: SetupModule, imports: [HttpModule, AccessModule, NamesModule, ...imports] };
  }
}
