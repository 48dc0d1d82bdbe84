import { createHash } from 'node:crypto';
import { Controller, Get, Headers, Inject, Param, Req, Res } from '@nestjs/common';
import { apiErrorOf, errorDescriptions, errorStatus, problemOf, type ErrorCode } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config.js';
import { CONFIG, DASHBOARD } from '../../platform/providers.js';
import { pageHeaders, sendFile, type DashboardFiles } from '../dashboard/dashboard-files.js';
import { describeApi, serversOf } from './document.js';

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
  readOpenApi(
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

/** The API reference: public, static, and built with the dashboard, whose files it shares. */
@Controller('docs')
export class DocsController {
  constructor(@Inject(DASHBOARD) private readonly files: DashboardFiles) {}

  /** @throws RequestError `not_found` where the dashboard is not built */
  @Get()
  readReference(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    if (this.files.reference === null) throw new RequestError('not_found', 'The API reference is not built.');
    return sendFile(this.files.reference, pageHeaders, { request, reply });
  }
}

/** The pages behind the `type` of problem details: public, without scripts or other resources. */
@Controller('problems')
export class ProblemsController {
  @Get(':code')
  readProblem(@Param('code') code: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    if (!isErrorCode(code)) throw new RequestError('not_found', 'There is no such problem type.');
    reply.type('text/html; charset=utf-8').header('content-security-policy', "default-src 'none'");
    return pageOf(code);
  }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code);
}

function pageOf(code: ErrorCode): string {
  const { meaning, example } = errorDescriptions[code];
  const { title, status } = problemOf(apiErrorOf(code, example), { publicUrl: '', requestId: '' });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
<p>Code <code>${code}</code>, status <code>${status}</code>.</p>
<p>${escapeHtml(meaning)}</p>
<p>For example: <q>${escapeHtml(example)}</q></p>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
