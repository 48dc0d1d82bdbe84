import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import type { Organization } from '@pets/contracts';
import { ApiKeysRepository } from '../access/api-keys/api-keys.repository.js';
import { DatabaseBudget } from '../access/limits/database-budget.service.js';
import { LimitsService } from '../access/limits/limits.service.js';
import { NoticesRepository } from '../access/notices/notices.repository.js';
import { OrganizationsRepository } from '../access/organizations/organizations.repository.js';
import { PeopleRepository, presentPerson } from '../access/people/people.repository.js';
import { presentSuspensions, SuspensionsRepository } from '../access/suspensions/suspensions.repository.js';
import { PlanChangesService } from '../domains/plan-changes/plan-changes.service.js';
import { WebhookEndpointsRepository } from '../events/webhooks/webhook-endpoints.repository.js';
import { CurrentPrincipal, type Limits, type Principal } from '../http/principal.js';
import { DomainCountsRepository } from '../names/domain-counts.repository.js';
import type { Clock } from '../platform/clock.js';
import { CLOCK } from '../platform/providers.js';
import { BundlesRepository } from '../projects/deployments/bundles.repository.js';
import { OriginsRepository } from '../projects/origins/origins.repository.js';
import { ProjectsRepository } from '../projects/projects.repository.js';

/** Counts the limited resources of an organization, in the same way as the checks of the limits. */
@Injectable()
export class UsageService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainCountsRepository,
    private readonly origins: OriginsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly bundles: BundlesRepository,
    private readonly budget: DatabaseBudget,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async readUsage(organizationId: string): Promise<Organization['usage']> {
    const [apiKeys, projects, domains, origins, webhookEndpoints, storageBytes, databaseUsage] = await Promise.all([
      this.keys.countLive(organizationId, this.clock()),
      this.projects.count(organizationId),
      this.domains.ofOrganization(organizationId),
      this.origins.count(organizationId),
      this.endpoints.count(organizationId),
      this.bundles.usedBytes(organizationId),
      this.budget.readUsedBytes(organizationId),
    ]);
    return {
      ...{ apiKeys, projects, origins, webhookEndpoints, storageBytes, ...databaseUsage },
      ...{ domains: domains.total, domainsPerProject: domains.most },
    };
  }
}

@Controller('v1/organization')
export class OrganizationController {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly limits: LimitsService,
    private readonly suspensions: SuspensionsRepository,
    private readonly usage: UsageService,
    private readonly people: PeopleRepository,
    private readonly planChanges: PlanChangesService,
    private readonly notices: NoticesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  async get(@CurrentPrincipal() { organizationId, scopes, person }: Principal): Promise<Organization> {
    const [{ id, name, plan }, limits, usage, domainsEnd, suspensions, caller, notices] = await Promise.all([
      this.organizations.get(organizationId),
      this.limits.readLimits(organizationId),
      this.usage.readUsage(organizationId),
      this.planChanges.findGraceEnd(organizationId),
      this.suspensions.ofOrganization(organizationId),
      person === null ? null : this.people.find(organizationId, person.id),
      scopes.includes('owners:write') ? this.notices.list(organizationId, this.clock()) : [],
    ]);
    return {
      id,
      name,
      plan,
      limits: present(limits),
      usage,
      domainsEndAt: domainsEnd?.toISOString() ?? null,
      caller: { scopes, person: caller === null ? null : presentPerson(caller) },
      suspensions: presentSuspensions(suspensions),
      notices,
    };
  }
}

/** JSON has no `Infinity`. */
function present({ requestsPerMinute, ...limits }: Limits): Organization['limits'] {
  return { ...limits, requestsPerMinute: requestsPerMinute === Infinity ? null : requestsPerMinute };
}
