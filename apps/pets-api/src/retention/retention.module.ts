import { Module } from '@nestjs/common';
import { RetentionService } from './retention.service.js';
import { RetentionTasksRepository } from './retention-tasks.repository.js';

/** Deletes old rows of all tables: see docs/retention.md. */
@Module({ providers: [RetentionService, RetentionTasksRepository] })
export class RetentionModule {}
