import { Controller, Get } from '@nestjs/common';
import { domainsPerProject, type Organization } from '@pets/contracts';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { OrganizationsRepository } from './organizations.repository.js';

@Controller('v1/organization')
export class OrganizationController {
  constructor(private readonly organizations: OrganizationsRepository) {}

  @Get()
  async get(@CurrentPrincipal() { organizationId }: Principal): Promise<Organization> {
    const { id, name, plan } = await this.organizations.get(organizationId);
    return { id, name, plan, limits: { domainsPerProject: domainsPerProject[plan] } };
  }
}
