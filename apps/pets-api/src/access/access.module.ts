import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { ApiKeyGrants, ApiKeyRevocations } from './api-keys/api-key-grants.service.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { Authenticator, LastUse, PrincipalCache, Principals, PrincipalsQuery } from './api-keys/authenticator.js';
import { PersonalKeys } from './api-keys/personal-keys.js';
import { AuditEventsController } from './audit/audit-events.controller.js';
import { AuditEventsRepository } from './audit/audit-events.repository.js';
import { AuditLog } from './audit/audit-log.js';
import { DatabaseBudget } from './limits/database-budget.service.js';
import { LimitsService } from './limits/limits.service.js';
import { NoticesRepository } from './notices/notices.repository.js';
import { IdentityProvider } from './oidc/identity-provider.js';
import { MembershipService } from './oidc/membership.service.js';
import { RefusedSignIns } from './oidc/refused-sign-ins.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { InvitationsRepository } from './people/invitations.repository.js';
import { InvitationsService } from './people/invitations.service.js';
import { InvitationsController, PeopleController } from './people/people.controller.js';
import { PeopleRepository } from './people/people.repository.js';
import { PeopleService } from './people/people.service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository, SessionsService } from './sessions/sessions.service.js';
import { OidcSignInController } from './sign-in/oidc-sign-in.controller.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SuspensionsRepository } from './suspensions/suspensions.repository.js';

/** Identity and permissions: API keys, sessions, people, organizations, limits, audit log. */
@Module({
  imports: [HttpModule],
  controllers: [
    ApiKeysController,
    SessionsController,
    SignInController,
    OidcSignInController,
    PeopleController,
    InvitationsController,
    AuditEventsController,
  ],
  providers: [
    ApiKeyGrants,
    ApiKeyRevocations,
    ApiKeysRepository,
    ApiKeysService,
    AuditEventsRepository,
    AuditLog,
    Authenticator,
    DatabaseBudget,
    IdentityProvider,
    InvitationsRepository,
    InvitationsService,
    MembershipService,
    NoticesRepository,
    PeopleRepository,
    PeopleService,
    PersonalKeys,
    RefusedSignIns,
    Principals,
    LastUse,
    LimitsService,
    OrganizationsRepository,
    PrincipalCache,
    PrincipalsQuery,
    SessionsRepository,
    SessionsService,
    SuspensionsRepository,
  ],
  exports: [
    ApiKeysRepository,
    AuditLog,
    Authenticator,
    DatabaseBudget,
    LimitsService,
    NoticesRepository,
    OrganizationsRepository,
    PeopleRepository,
    SuspensionsRepository,
  ],
})
export class AccessModule {}
