import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { NamesModule } from '../names/names.module.js';
import { OrganizationController } from './organization.controller.js';
import { UsageService } from './usage.service.js';

/** `GET /v1/organization`: limits and usage. Above the features, since it counts in all of them. */
@Module({ controllers: [OrganizationController], providers: [UsageService] })
export class UsageModule {
  /** @param imports the modules that provide projects, domains and webhooks */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: UsageModule, imports: [AccessModule, NamesModule, ...imports] };
  }
}
