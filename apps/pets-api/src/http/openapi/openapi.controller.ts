import { createHash } from 'node:crypto';
import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Config } from '../../platform/config.js';
import { CONFIG } from '../../platform/providers.js';
import { describeApi } from './document.js';
import { serversOf } from './servers.js';

/** The OpenAPI document: public, and constant while the process runs. */
@Controller()
export class OpenApiController {
  private readonly text: string;
  private readonly etag: string;

  constructor(@Inject(CONFIG) config: Config) {
    this.text = JSON.stringify(describeApi({ url: config.PUBLIC_URL, servers: serversOf(config) }));
    this.etag = `"${createHash('sha256').update(this.text).digest('base64url')}"`;
  }

  @Get('openapi.json')
  read(
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | undefined {
    reply.header('etag', this.etag).header('cache-control', 'public, max-age=60');
    // RFC 9110 §13.1.2: any of the list will do, a weak one too.
    if (known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === this.etag) === true) {
      reply.status(304);
      return undefined;
    }
    reply.type('application/json; charset=utf-8');
    return this.text;
  }
}
