import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DASHBOARD } from '../../platform/providers.js';
import type { DashboardFiles } from '../dashboard/dashboard-files.js';
import { pageHeaders, sendFile } from '../dashboard/send-file.js';

/** The API reference: public, static, and built with the dashboard, whose files it shares. */
@Controller('docs')
export class DocsController {
  constructor(@Inject(DASHBOARD) private readonly files: DashboardFiles) {}

  /** @throws RequestError `not_found` where the dashboard is not built */
  @Get()
  read(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    if (this.files.reference === null) throw new RequestError('not_found', 'The API reference is not built.');
    return sendFile(this.files.reference, pageHeaders, { request, reply });
  }
}
