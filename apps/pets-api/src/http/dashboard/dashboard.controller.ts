import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config.js';
import { dashboardOriginOf } from '../../platform/dashboard-origin.js';
import { CONFIG, DASHBOARD } from '../../platform/providers.js';
import { pageHeaders, sendFile, type DashboardFiles } from './dashboard-files.js';

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
  private readonly origin: URL;

  constructor(
    @Inject(DASHBOARD) private readonly files: DashboardFiles,
    @Inject(CONFIG) config: Config,
  ) {
    this.origin = new URL(dashboardOriginOf(config));
  }

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
  page(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer | string {
    if (this.files.page === null) throw new RequestError('not_found', 'The dashboard is not built.');
    if (isOtherLoopbackName(request.headers.host, this.origin)) {
      const { pathname, search } = new URL(request.url, this.origin);
      reply.status(302).header('location', this.origin.origin + pathname + search);
      return '';
    }
    return sendFile(this.files.page, pageHeaders, { request, reply });
  }
}

/**
 * Whether a request has the other loopback name. On a developer's machine, `localhost` and `127.0.0.1` are the same
 * server and two origins, of which one has the session. Elsewhere `Host` may be that of a proxy, so no other host is
 * redirected.
 */
function isOtherLoopbackName(host: string | undefined, origin: URL): boolean {
  const [asked, expected] = [host ?? '', origin.host].map((each) => loopbackAddress.exec(each));
  return asked?.[0] !== expected?.[0] && asked?.[1] !== undefined && asked[1] === expected?.[1];
}

/** Loopback host with its port. */
const loopbackAddress = /^(?:localhost|127\.0\.0\.1|\[::1\]):(\d+)$/;

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
