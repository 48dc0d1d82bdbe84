import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Put, Req, Res } from '@nestjs/common';
import {
  newSetupPageSchema,
  setupLogoLimits,
  type AuditEventType,
  type NewSetupPage,
  type SetupLogo,
  type SetupPage,
} from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { addressGroup, RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AuditLog } from '../access/audit/audit-log.js';
import { MinuteLimit } from '../access/limits/minute-limit.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { requireProgress, uploadProgress } from '../http/require-progress.js';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE } from '../platform/providers.js';
import { LogoWriter } from './logo/logo-writer.js';
import { presentLogo, SetupPagesRepository } from './setup-pages.repository.js';

/** The look of the set-up pages of the organization. */
@Controller('v1/setup-page')
export class SetupPagesController {
  private readonly logos = new LogoWriter();

  constructor(
    private readonly pages: SetupPagesRepository,
    private readonly audit: AuditLog,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  read(@CurrentPrincipal() { organizationId }: Principal): Promise<SetupPage> {
    return this.present(organizationId, this.db);
  }

  @Put()
  put(
    @CurrentPrincipal() { organizationId }: Principal,
    @Body({ schema: newSetupPageSchema }) page: NewSetupPage,
  ): Promise<SetupPage> {
    return this.change(organizationId, 'organization.setup_page_changed', async (tx) => {
      await this.pages.write(tx, organizationId, page);
      return this.present(organizationId, tx);
    });
  }

  /** Writes the image again before the transaction, which never waits for a client or a decoder. */
  @Put('logo')
  async putLogo(@CurrentPrincipal() { organizationId }: Principal, @Body() body: unknown): Promise<SetupLogo> {
    if (!(body instanceof Readable))
      throw new RequestError('unsupported_media_type', 'The body must be image/png or image/webp.');
    const written = await this.logos.write(await readImage(body), organizationId);
    const bytes = Buffer.from(written.bytes);
    const logo = { ...written, bytes, hash: createHash('sha256').update(bytes).digest('hex') };
    await this.change(organizationId, 'organization.setup_logo_changed', (tx) =>
      this.pages.writeLogo(tx, organizationId, logo),
    );
    return presentLogo(logo, this.config);
  }

  @Delete('logo')
  @HttpCode(204)
  async deleteLogo(@CurrentPrincipal() { organizationId }: Principal): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      if (await this.pages.removeLogo(tx, organizationId))
        await this.record(tx, organizationId, 'organization.setup_logo_removed');
    });
  }

  private change<Result>(
    organizationId: string,
    type: AuditEventType,
    write: (tx: Tx) => Promise<Result>,
  ): Promise<Result> {
    return this.db.transaction().execute(async (tx) => {
      const result = await write(tx);
      await this.record(tx, organizationId, type);
      return result;
    });
  }

  private record(tx: Tx, organizationId: string, type: AuditEventType): Promise<void> {
    const subject = { kind: 'organization', id: organizationId } as const;
    return this.audit.record(tx, { organizationId, type, subject });
  }

  private async present(organizationId: string, db: Database): Promise<SetupPage> {
    const { logo, ...page } = await this.pages.read(organizationId, db);
    return { ...page, logo: logo && presentLogo(logo, this.config) };
  }
}

/** @throws RequestError `payload_too_large`, `timeout`, `invalid_request` when the client has left */
async function readImage(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of requireProgress(body, uploadProgress)) {
      bytes += chunk.length;
      if (bytes > setupLogoLimits.bytes)
        throw new RequestError('payload_too_large', `The image is larger than ${setupLogoLimits.bytes / 1024} KiB.`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError('invalid_request', 'The connection was closed before the image was complete.');
  }
  return Buffer.concat(chunks);
}

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
