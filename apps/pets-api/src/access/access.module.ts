import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { ApiKeyGrants } from './api-keys/api-key-grants.service.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { Authenticator, LastUse, Principals } from './api-keys/authenticator.js';
import { PrincipalCache } from './api-keys/principal-cache.js';
import { AuditEventsController } from './audit/audit-events.controller.js';
import { AuditLog } from './audit/audit-log.js';
import { LimitsService } from './limits/limits.service.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SignInController } from './sessions/sign-in.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';
import { SuspensionsRepository } from './suspensions/suspensions.repository.js';

/** Identity and permissions: API keys, sessions, organizations, limits, audit log. */
@Module({
  imports: [HttpModule],
  controllers: [ApiKeysController, SessionsController, SignInController, AuditEventsController],
  providers: [
    ApiKeyGrants,
    ApiKeysRepository,
    ApiKeysService,
    AuditLog,
    Authenticator,
    Principals,
    LastUse,
    LimitsService,
    OrganizationsRepository,
    PrincipalCache,
    SessionsRepository,
    SessionsService,
    SuspensionsRepository,
  ],
  exports: [ApiKeysRepository, AuditLog, Authenticator, LimitsService, OrganizationsRepository, SuspensionsRepository],
})
export class AccessModule {}
