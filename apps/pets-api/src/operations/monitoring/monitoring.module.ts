import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { DatabaseReadingsRepository } from './database-readings.repository.js';
import { MetricsEndpoint } from './metrics.endpoint.js';
import { ReadingsRepository } from './readings.repository.js';
import { Readings } from './readings.service.js';

/** `/metrics`. Above the features, since it reads the tables of all of them; what they count is in `platform/metrics`. */
@Module({
  providers: [MetricsEndpoint, Readings, ReadingsRepository, DatabaseReadingsRepository],
  exports: [MetricsEndpoint],
})
export class MonitoringModule {
  /** @param imports the modules that provide certificates and event streams */
  static register({ imports = [] }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: MonitoringModule, imports };
  }
}
