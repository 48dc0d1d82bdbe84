import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { DatabaseReadingsRepository } from './monitoring/database-readings.repository.js';
import { MetricsEndpoint } from './monitoring/metrics.endpoint.js';
import { ReadingsRepository } from './monitoring/readings.repository.js';
import { Readings } from './monitoring/readings.service.js';
import { DatabaseBytesRepository } from './retention/database-bytes.repository.js';
import { DatabaseBytes, FullOrganizations } from './retention/full-organizations.service.js';
import { RetentionService, RetentionTasksRepository } from './retention/retention.service.js';

/** Deletes old rows of all tables, and bounds those of an organization: see docs/retention.md. */
@Module({
  imports: [AccessModule],
  providers: [RetentionService, RetentionTasksRepository, DatabaseBytes, DatabaseBytesRepository, FullOrganizations],
})
export class RetentionModule {}

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
