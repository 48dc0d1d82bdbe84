import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { addressGroup, RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { MinuteLimit } from '../access/limits/minute-limit.js';
import { SetupPagesRepository } from './setup-pages.repository.js';

/** Logos that a replica keeps: at most 16 MiB. One that was removed is served for so long. */
const MAX_LOGOS = 256;
const LOGO_TTL_MS = 60_000;
/** Logos that the database is asked for, by address: a page has one. */
const READS_PER_MINUTE = 120;

/** Our own image, and if it were anything else, a browser would do nothing with it. */
const headers = {
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'public, max-age=31536000, immutable',
  'x-robots-tag': 'noindex',
} as const;

/** The logos of set-up pages, at an address with their hash. Open to everybody, as the page is. */
@Controller('setup/logos')
export class SetupLogosController {
  private readonly kept = new LRUCache<string, Buffer>({ max: MAX_LOGOS, ttl: LOGO_TTL_MS });
  private readonly reads = new MinuteLimit(READS_PER_MINUTE, 'Too many images were asked for from this address.');

  constructor(private readonly pages: SetupPagesRepository) {}

  /** @throws RequestError `not_found`, `rate_limited` */
  @Get(':file')
  async read(
    @Param('file') file: string,
    @Req() { clientAddress }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const hash = /^([0-9a-f]{64})\.webp$/.exec(file)?.[1];
    const logo = hash === undefined ? null : await this.find(hash, clientAddress);
    if (logo === null) throw new RequestError('not_found', 'There is no such logo, or it has been replaced.');
    reply.type('image/webp').headers(headers);
    return logo;
  }

  private async find(hash: string, address: string | null): Promise<Buffer | null> {
    const kept = this.kept.get(hash);
    if (kept !== undefined) return kept;
    const client = addressGroup(address ?? '');
    this.reads.check(client);
    this.reads.count(client);
    const logo = await this.pages.findLogo(hash);
    if (logo !== null) this.kept.set(hash, logo);
    return logo;
  }
}
