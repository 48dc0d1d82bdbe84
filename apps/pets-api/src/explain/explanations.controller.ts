import { Controller, Get, Param, Query } from '@nestjs/common';
import { explainQuerySchema, type ExplainQuery, type Explanation } from '@pets/contracts';
import type { z } from 'zod';
import { idSchema } from '../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { Explanations } from './explanations.service.js';

@Controller('v1/projects/:projectId/explain')
export class ExplanationsController {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly explanations: Explanations,
  ) {}

  @Get()
  async explain(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Query({ schema: explainQuerySchema }) { url }: ExplainQuery,
  ): Promise<Explanation> {
    await this.projects.get(organizationId, projectId);
    return this.explanations.explain(projectId, url);
  }
}
