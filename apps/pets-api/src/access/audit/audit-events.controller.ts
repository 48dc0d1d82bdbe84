import { Controller, Get, Query, Res } from '@nestjs/common';
import { listAuditEventsQuerySchema, type AuditEvent, type ListAuditEventsQuery } from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { Pages } from '../../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { AuditEventsRepository } from './audit-events.repository.js';

const PATH = '/v1/audit-events';

/** `/v1/audit-events`: the changes in the caller's organization. */
@Controller(PATH)
export class AuditEventsController {
  constructor(
    private readonly events: AuditEventsRepository,
    private readonly pages: Pages,
  ) {}

  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query({ schema: listAuditEventsQuerySchema }) { limit, cursor, ...filters }: ListAuditEventsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly AuditEvent[]> {
    const request = { path: PATH, organizationId, limit, cursor, filters };
    return this.pages.cutFound(reply, request, (bounds) => this.events.findPage(organizationId, filters, bounds));
  }
}
