import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DASHBOARD } from '../../platform/providers.js';
import { chooseCoding, type DashboardFile, type DashboardFiles } from './dashboard-files.js';

/**
 * Everything is loaded from this origin, without inline scripts or styles. `require-trusted-types-for` makes the
 * browser reject strings as markup, whatever an animal is called.
 */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-cache',
} as const;

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
    return answer(file, assetHeaders, { request, reply });
  }

  /** @throws RequestError `not_found` where the dashboard is not built */
  @Get(['', '*'])
  page(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    if (this.files.page === null) throw new RequestError('not_found', 'The dashboard is not built.');
    return answer(this.files.page, pageHeaders, { request, reply });
  }
}

function answer(
  file: DashboardFile,
  headers: Readonly<Record<string, string>>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Buffer {
  const coding = chooseCoding(file, request.headers['accept-encoding']);
  reply.type(file.contentType).headers(headers).header('vary', 'accept-encoding');
  if (coding !== null) reply.header('content-encoding', coding);
  return (coding !== null && file.encoded[coding]) || file.plain;
}
