import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { newSetupLinkSchema, type CreatedSetupLink, type NewSetupLink, type SetupLink } from '@pets/contracts';
import { z } from 'zod';
import { Idempotency, type JsonText } from '../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../http/idempotency/idempotent-call.js';
import { domainKeySchema, idSchema } from '../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import type { Clock } from '../platform/clock.js';
import type { Config } from '../platform/config.js';
import { dashboardOriginOf } from '../platform/dashboard-origin.js';
import { CLOCK, CONFIG } from '../platform/providers.js';
import { SetupLinksService, type SetupLinkRow } from './setup-links.service.js';

type Id = z.infer<typeof idSchema>;

type Key = z.infer<typeof domainKeySchema>;

/** The set-up links of a domain, for members. */
@Controller('v1/projects/:projectId/domains/:domain/setup-links')
export class SetupLinksController {
  constructor(
    private readonly links: SetupLinksService,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
  ): Promise<SetupLink[]> {
    return (await this.links.list(principal, projectId, domain, this.clock())).map(present);
  }

  @Post()
  create(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
    @Body({ schema: newSetupLinkSchema }) body: NewSetupLink,
  ): Promise<CreatedSetupLink | JsonText> {
    return this.idempotency.run(call, async (db) => {
      const { row, token } = await this.links.create(db, call.principal, projectId, domain, body, this.clock());
      return { body: { ...present(row), url: `${dashboardOriginOf(this.config)}/setup#${token}` } };
    });
  }

  @Delete(':setupLinkId')
  @HttpCode(204)
  async delete(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('domain', { schema: domainKeySchema }) domain: Key,
    @Param('setupLinkId', { schema: idSchema }) id: Id,
  ): Promise<void> {
    await this.links.delete(principal, projectId, domain, id);
  }
}

function present({ id, createdAt, expiresAt, returnUrl }: SetupLinkRow): SetupLink {
  return { id, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString(), returnUrl };
}
