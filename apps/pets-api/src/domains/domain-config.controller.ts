import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { domainConfigSchema, type DomainConfig } from '@pets/contracts';
import { z } from 'zod';
import { idSchema } from '../http/path.schema.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { DomainConfigService } from './domain-config.service.js';

type Id = z.infer<typeof idSchema>;

/** Which domain is primary, and which redirect: stored and answered exactly as sent. */
@Controller('v1/projects/:projectId/domain-config')
export class DomainConfigController {
  constructor(private readonly configs: DomainConfigService) {}

  @Get()
  get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
  ): Promise<DomainConfig> {
    return this.configs.get(organizationId, projectId);
  }

  @Put()
  put(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Body({ schema: domainConfigSchema }) config: DomainConfig,
  ): Promise<DomainConfig> {
    return this.configs.put(organizationId, projectId, config);
  }
}
