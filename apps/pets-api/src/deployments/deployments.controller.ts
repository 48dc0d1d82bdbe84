import { Readable } from 'node:stream';
import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { Deployment } from '@pets/contracts';
import { DomainError } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { idSchema } from '../http/path.schema.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { DeploymentsService } from './deployments.service.js';

@Controller('v1/projects/:projectId/deployments')
export class DeploymentsController {
  constructor(
    private readonly service: DeploymentsService,
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsRepository,
  ) {}

  /** Body: a gzipped tar (`application/gzip`) of at most 50 MiB, 200 MiB and 10 000 files unpacked. */
  @Post()
  async create(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
    @Body() bundle: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Deployment> {
    if (!(bundle instanceof Readable))
      throw new DomainError('unsupported_media_type', 'The body must be application/gzip: a gzipped tar.');
    const deployment = await this.service.create(organizationId, projectId, bundle);
    reply.header('location', `/v1/projects/${projectId}/deployments`);
    return deployment;
  }

  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: z.infer<typeof idSchema>,
  ): Promise<Deployment[]> {
    await this.projects.get(organizationId, projectId);
    return this.deployments.list(projectId);
  }
}
