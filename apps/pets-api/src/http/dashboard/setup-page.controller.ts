import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DASHBOARD } from '../../platform/providers.js';
import { pageHeaders, sendFile, type DashboardFiles } from './dashboard-files.js';

/** No inline script, no string as markup, no frame: whoever has the link has no account, and nothing of this origin but the page. */
const headers = {
  ...pageHeaders,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'self'; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
} as const;

/** The page of a set-up link. Open to everybody: the token is in the fragment, which no server gets. */
@Controller('setup')
export class SetupLinkPageController {
  constructor(@Inject(DASHBOARD) private readonly files: DashboardFiles) {}

  /** @throws RequestError `not_found` where the dashboard is not built */
  @Get()
  page(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    if (this.files.setup === null) throw new RequestError('not_found', 'The page of set-up links is not built.');
    return sendFile(this.files.setup, headers, { request, reply });
  }
}
