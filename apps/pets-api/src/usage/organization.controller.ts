import { Controller, Get, Inject } from '@nestjs/common';
import type { Organization } from '@pets/contracts';
import { LimitsService } from '../access/limits/limits.service.js';
import { NoticesRepository } from '../access/notices/notices.repository.js';
import { OrganizationsRepository } from '../access/organizations/organizations.repository.js';
import { PeopleRepository, presentPerson } from '../access/people/people.repository.js';
import { presentSuspensions, SuspensionsRepository } from '../access/suspensions/suspensions.repository.js';
import { PlanChangesService } from '../domains/plan-changes/plan-changes.service.js';
import { CurrentPrincipal, type Limits, type Principal } from '../http/principal.js';
import type { Clock } from '../platform/clock.js';
import { CLOCK } from '../platform/providers.js';
import { UsageService } from './usage.service.js';

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
