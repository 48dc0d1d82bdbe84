import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DASHBOARD } from '../../platform/providers.js';
import type { DashboardFiles } from './dashboard-files.js';
import { pageHeaders, sendFile } from './send-file.js';

/** A name contains a hash of its content, so a cached file never becomes stale. */
const assetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * The dashboard: one page for every path below `/dashboard`, which does its own routing, and the files it loads. Open
 * to everybody: it contains no data, and calls the API with the key that its user enters.
 */
@Controller('dashboard')
export class DashboardController {
  constructor(@Inject(DASHBOARD) private readonly files: DashboardFiles) {}

  /** @throws RequestError `not_found` for everything that the page does not load */
  @Get('assets/*')
  asset(
    @Param('*') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Buffer {
    const file = this.files.assets.get(name);
    if (file === undefined) throw new RequestError('not_found', 'There is nothing at this path.');
    return sendFile(file, assetHeaders, { request, reply });
  }

  /** @throws RequestError `not_found` where the dashboard is not built */
  @Get(['', '*'])
  page(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    if (this.files.page === null) throw new RequestError('not_found', 'The dashboard is not built.');
    return sendFile(this.files.page, pageHeaders, { request, reply });
  }
}
