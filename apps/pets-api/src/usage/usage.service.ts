import { Inject, Injectable } from '@nestjs/common';
import type { Organization } from '@pets/contracts';
import { ApiKeysRepository } from '../access/api-keys/api-keys.repository.js';
import { DatabaseBudget } from '../access/limits/database-budget.service.js';
import { WebhookEndpointsRepository } from '../events/webhooks/webhook-endpoints.repository.js';
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
