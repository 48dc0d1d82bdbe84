import { Controller, Get, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { fieldError, listHistoryQuerySchema, type DomainHistoryEntry, type ListHistoryQuery } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DomainsService } from '../../domains/domains.service.js';
import { DomainHistoryRepository, type HistoryOf } from '../../names/domain-history.repository.js';
import { EVENT_STREAM_TYPE, prefersEventStream } from '../../http/negotiation.js';
import { Pages } from '../../http/paging/pages.js';
import { domainKeySchema, idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { parseLastEventId } from './event-stream.js';
import { ProjectStreams } from './event-streams.service.js';

type Id = z.infer<typeof idSchema>;
type Key = z.infer<typeof domainKeySchema>;

/** The history of a domain or of a project, in pages; that of a project also as an event stream. */
@Controller('v1/projects/:projectId')
export class HistoryController {
  constructor(
    private readonly domains: DomainsService,
    private readonly history: DomainHistoryRepository,
    private readonly pages: Pages,
    private readonly streams: ProjectStreams,
  ) {}

  @Get('events')
  async ofProject(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Query({ schema: listHistoryQuerySchema }) query: ListHistoryQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DomainHistoryEntry[] | StreamableFile> {
    const { organizationId } = principal;
    const of = await this.domains.historyOf(organizationId, projectId);
    if (prefersEventStream(request.headers.accept)) return this.stream(principal, projectId, { request, reply });
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
    // By id: another domain may have the name by the next page.
    const path = `/v1/projects/${projectId}/domains/${'domainId' in of ? of.domainId : domain}/events`;
    return this.page(reply, of, { path, organizationId, ...query });
  }

  /** A stream has no pages: it is resumed by `Last-Event-ID`. */
  private async stream(
    { apiKeyId, sessionId, organizationId, limits }: Principal,
    projectId: Id,
    { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  ): Promise<StreamableFile> {
    const [first, ...others] = Object.keys(request.query ?? {}).map((parameter) =>
      fieldError(parameter, 'is not supported for an event stream; use Last-Event-ID'),
    );
    if (first !== undefined) throw RequestError.ofFields('invalid_parameter', [first, ...others]);
    const after = parseLastEventId(request.headers['last-event-id']?.toString());
    const { readable } = await this.streams.open(
      { apiKeyId, sessionId, organizationId, scope: 'domains:read', projectId },
      limits.eventStreams,
      after,
    );
    // Or nginx and similar proxies buffer the events.
    reply.header('x-accel-buffering', 'no');
    return new StreamableFile(readable, { type: EVENT_STREAM_TYPE });
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
