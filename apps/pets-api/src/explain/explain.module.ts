import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { ExplanationsController } from './explanations.controller.js';
import { Explanations } from './explanations.service.js';

/** What visitors get at a URL, and why. */
@Module({ controllers: [ExplanationsController], providers: [Explanations] })
export class ExplainModule {
  /** @param imports the module that provides projects */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: ExplainModule, imports };
  }
}
