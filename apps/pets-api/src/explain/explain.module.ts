import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { ExplanationsController } from './explanations.controller.js';
import { Explanations } from './explanations.service.js';

/** Explanations of what visitors get at a URL. */
@Module({ controllers: [ExplanationsController], providers: [Explanations] })
export class ExplainModule {
  /** @param imports the module that provides projects */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: ExplainModule, imports };
  }
}
