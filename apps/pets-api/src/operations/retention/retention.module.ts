import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { DatabaseBytesRepository } from './database-bytes.repository.js';
import { DatabaseBytes, FullOrganizations } from './full-organizations.service.js';
import { RetentionService, RetentionTasksRepository } from './retention.service.js';

/** Deletes old rows of all tables, and bounds those of an organization: see docs/retention.md. */
@Module({
  imports: [AccessModule],
  providers: [RetentionService, RetentionTasksRepository, DatabaseBytes, DatabaseBytesRepository, FullOrganizations],
})
export class RetentionModule {}
