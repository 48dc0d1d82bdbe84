import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import {
  findDomainsQuerySchema,
  listDomainsQuerySchema,
  type Domain,
  type DomainCounts,
  type FindDomainsQuery,
  type ListDomainsQuery,
} from '@pets/contracts';
import { storedNameOf } from '@pets/domains';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Pages } from '../http/paging/pages.js';
import { idSchema } from '../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { DomainsService } from './domains.service.js';

type Id = z.infer<typeof idSchema>;

/** Lists of custom domains: of a project, and of all projects of the organization. */
@Controller('v1')
export class DomainListsController {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsService,
    private readonly pages: Pages,
  ) {}

  @Get('projects/:projectId/domains')
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Query({ schema: listDomainsQuerySchema }) { limit, cursor, ...filters }: ListDomainsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly Domain[]> {
    await this.projects.get(organizationId, projectId);
    const request = { path: `/v1/projects/${projectId}/domains`, organizationId, limit, cursor, filters };
    return this.pages.cutFound(reply, request, (bounds) =>
      this.domains.list({ organizationId, projectId }, filters, bounds),
    );
  }

  @Get('domains')
  find(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query({ schema: findDomainsQuerySchema }) { limit, cursor, ...filters }: FindDomainsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly Domain[]> {
    const request = { path: '/v1/domains', organizationId, limit, cursor, filters };
    // No domain has the empty name.
    const name = filters.name === undefined ? undefined : (storedNameOf(filters.name) ?? '');
    return this.pages.cutFound(reply, request, (bounds) =>
      this.domains.list({ organizationId, projectId: null }, { ...filters, name }, bounds),
    );
  }

  @Get('projects/:projectId/domain-counts')
  count(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
  ): Promise<DomainCounts> {
    return this.domains.count(organizationId, projectId);
  }
}
