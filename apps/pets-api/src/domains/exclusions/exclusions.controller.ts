import { Controller, Delete, HttpCode, Param } from '@nestjs/common';
import type { z } from 'zod';
import { domainKeySchema, idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { LiftExclusionService } from './lift-exclusion.service.js';

@Controller('v1/projects/:projectId/domains/:domain/exclusions')
export class ExclusionsController {
  constructor(private readonly exclusions: LiftExclusionService) {}

  @Delete(':name')
  @HttpCode(204)
  async lift(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Param('domain', { schema: domainKeySchema }) domain: z.infer<typeof domainKeySchema>,
    @Param('name', { schema: domainKeySchema }) name: z.infer<typeof domainKeySchema>,
  ): Promise<void> {
    await this.exclusions.lift(principal, projectId, domain, name);
  }
}
