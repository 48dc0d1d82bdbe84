import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { listHistoryQuerySchema, type DomainHistoryEntry, type ListHistoryQuery } from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { domainKeySchema, idSchema } from '../http/path.schema.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { Pages } from '../listing/pages.js';
import { DomainHistoryRepository, type HistoryOf } from './domain-history.repository.js';
import { DomainsService } from './domains.service.js';

type Id = z.infer<typeof idSchema>;
type Key = z.infer<typeof domainKeySchema>;

/** What happened to a domain, or to all domains of a project: in order, in pages. */
@Controller('v1/projects/:projectId')
export class HistoryController {
  constructor(
    private readonly domains: DomainsService,
    private readonly history: DomainHistoryRepository,
    private readonly pages: Pages,
  ) {}

  @Get('events')
  async ofProject(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Query({ schema: listHistoryQuerySchema }) query: ListHistoryQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DomainHistoryEntry[]> {
    const of = await this.domains.historyOf(organizationId, projectId);
    const path = `/v1/projects/${projectId}/events`;
    return this.page(reply, of, { path, organizationId, ...query });
  }

  @Get('domains/:domain/events')
  async ofDomain(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
    @Query({ schema: listHistoryQuerySchema }) query: ListHistoryQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DomainHistoryEntry[]> {
    const of = await this.domains.historyOf(organizationId, projectId, domain);
    // By its id: the name may be another domain's by the next page.
    const path = `/v1/projects/${projectId}/domains/${'domainId' in of ? of.domainId : domain}/events`;
    return this.page(reply, of, { path, organizationId, ...query });
  }

  private async page(
    reply: FastifyReply,
    of: HistoryOf,
    request: { path: string; organizationId: string } & ListHistoryQuery,
  ): Promise<DomainHistoryEntry[]> {
    const { path, organizationId, limit, cursor } = request;
    const lines = await this.pages.cut(reply, { path, organizationId, limit, cursor, filters: {} }, (bounds) =>
      this.history.list(of, bounds),
    );
    return lines.map(({ entry }) => entry);
  }
}
