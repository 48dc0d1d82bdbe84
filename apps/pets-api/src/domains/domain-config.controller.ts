import { Body, Controller, Get, Headers, Param, Put, Res } from '@nestjs/common';
import { domainConfigSchema, type DomainConfig } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { idSchema } from '../http/input-validation.js';
import { evaluatePreconditions } from '../http/preconditions.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { DomainConfigService, type TaggedConfig } from './domain-config.service.js';

type Id = z.infer<typeof idSchema>;

/** The primary domain and the redirects of a project: stored and returned exactly as sent. */
@Controller('v1/projects/:projectId/domain-config')
export class DomainConfigController {
  constructor(private readonly configs: DomainConfigService) {}

  @Get()
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DomainConfig | undefined> {
    const tagged = await this.configs.get(organizationId, projectId);
    const verdict = evaluatePreconditions({ ifMatch, ifNoneMatch }, tagged.etag, true);
    if (verdict === 'failed') throw preconditionFailed();
    if (verdict === 'holds') return answer(reply, tagged);
    reply.status(304).header('etag', tagged.etag);
    return undefined;
  }

  @Put()
  async put(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Body({ schema: domainConfigSchema }) config: DomainConfig,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DomainConfig> {
    const tagged = await this.configs.put(organizationId, projectId, config, (etag) => {
      if (evaluatePreconditions({ ifMatch, ifNoneMatch }, etag, false) !== 'holds') throw preconditionFailed();
    });
    return answer(reply, tagged);
  }
}

function answer(reply: FastifyReply, { config, etag }: TaggedConfig): DomainConfig {
  reply.header('etag', etag);
  return config;
}

function preconditionFailed(): RequestError {
  const message = 'If-Match, If-None-Match: the configuration has another version. Read it again.';
  return new RequestError('precondition_failed', message);
}
