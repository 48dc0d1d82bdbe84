import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, HttpCode, Inject, Put } from '@nestjs/common';
import {
  newSetupPageSchema,
  setupLogoLimits,
  type AuditEventType,
  type NewSetupPage,
  type SetupLogo,
  type SetupPage,
} from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import { requireProgress, uploadProgress } from '../http/require-progress.js';
import type { Config } from '../platform/config.js';
import { CONFIG, DATABASE } from '../platform/providers.js';
import { LogoWriter } from './logo/logo-writer.js';
import { presentLogo } from './present-logo.js';
import { SetupPagesRepository } from './setup-pages.repository.js';

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
