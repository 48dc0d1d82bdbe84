import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  domainChangeSchema,
  findDomainsQuerySchema,
  listDomainsQuerySchema,
  newDomainSchema,
  removeDomainQuerySchema,
  type Domain,
  type DomainChangeRequest,
  type DomainCounts,
  type FindDomainsQuery,
  type ListDomainsQuery,
  type NewDomain,
  type RemoveDomainQuery,
} from '@pets/contracts';
import { storedNameOf } from '@pets/domains';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Idempotency, type JsonText } from '../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../http/idempotency/idempotent-call.js';
import { domainKeySchema, idSchema } from '../http/input-validation.js';
import { Pages } from '../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { AddDomainService } from './add-domain.service.js';
import { CheckDomainService } from './check-domain.service.js';
import { DomainLabels } from './domain-labels.service.js';
import { DomainsService } from './domains.service.js';
import { LiftExclusionService } from './lift-exclusion.service.js';
import { RemoveDomainService } from './remove-domain.service.js';

const removalStatus = { stopped: 204, covered: 200, pending: 202 } as const;

type Id = z.infer<typeof idSchema>;
type Key = z.infer<typeof domainKeySchema>;

/** Custom domains of a project. `{domain}` is the id or the name. */
@Controller('v1/projects/:projectId/domains')
export class DomainsController {
  constructor(
    private readonly additions: AddDomainService,
    private readonly checks: CheckDomainService,
    private readonly labels: DomainLabels,
    private readonly removals: RemoveDomainService,
    private readonly domains: DomainsService,
    private readonly idempotency: Idempotency,
  ) {}

  @Post()
  addDomain(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Body({ schema: newDomainSchema }) body: NewDomain,
  ): Promise<Domain | JsonText> {
    return this.idempotency.run(call, async (db) => {
      const domain = await this.additions.addDomain(db, call.principal, projectId, body);
      return { body: domain, location: `/v1/projects/${projectId}/domains/${domain.id}` };
    });
  }

  @Get(':domain')
  get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
  ): Promise<Domain> {
    return this.domains.get(organizationId, projectId, domain);
  }

  @Patch(':domain')
  change(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
    @Body({ schema: domainChangeSchema }) change: DomainChangeRequest,
  ): Promise<Domain> {
    return this.labels.change(principal, projectId, domain, change);
  }

  @Post(':domain/verify')
  @HttpCode(202)
  verify(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
  ): Promise<Domain | JsonText> {
    return this.idempotency.run(call, async (db) => ({
      body: await this.checks.verify(db, call.principal, projectId, domain),
    }));
  }

  @Post(':domain/watch')
  @HttpCode(200)
  watch(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
  ): Promise<Domain | JsonText> {
    return this.idempotency.run(call, async (db) => ({
      body: await this.checks.watch(db, call.principal, projectId, domain),
    }));
  }

  @Post(':domain/reverify')
  @HttpCode(202)
  reverify(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
  ): Promise<Domain | JsonText> {
    return this.idempotency.run(call, async (db) => ({
      body: await this.checks.reverify(db, call.principal, projectId, domain),
    }));
  }

  /**
   * 204: no edge serves it any more. 200 with the domain: its own route has ended everywhere, and the wildcard `coveredBy` serves
   * the name. 202 with the domain: `pendingEdges` have not answered yet.
   */
  @Delete(':domain')
  async remove(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) name: Key,
    @Query({ schema: removeDomainQuerySchema }) { exclude }: RemoveDomainQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Domain | undefined> {
    const removal = await this.removals.remove(principal, projectId, name, exclude === true);
    reply.status(removalStatus[removal.kind]);
    return removal.kind === 'stopped' ? undefined : this.domains.readDomain(projectId, removal.domainId);
  }
}

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
