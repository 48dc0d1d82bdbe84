import { randomBytes } from 'node:crypto';
import { Body, Controller, Delete, Get, HttpCode, Inject, Injectable, Param, Post } from '@nestjs/common';
import {
  MAX_SETUP_LINKS,
  newSetupLinkSchema,
  type CreatedSetupLink,
  type NewSetupLink,
  type SetupLink,
} from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { z } from 'zod';
import { AuditLog } from '../access/audit/audit-log.js';
import { requireChangeable } from '../access/suspensions/suspensions.repository.js';
import { Idempotency, type JsonText } from '../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../http/idempotency/idempotent-call.js';
import { domainKeySchema, idSchema } from '../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../http/principal.js';
import type { DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';
import type { Clock } from '../platform/clock.js';
import type { Config } from '../platform/config.js';
import { dashboardOriginOf } from '../platform/dashboard-origin.js';
import { sha256 } from '../platform/hashes.js';
import { CLOCK, CONFIG, DATABASE } from '../platform/providers.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { SetupLinksRepository, type SetupLinkRow } from './setup-links.repository.js';
import { SetupPagesRepository } from './setup-pages.repository.js';

const TOKEN_BYTES = 32;

/** A link and its token, which is available only now. */
interface CreatedLink {
  readonly row: SetupLinkRow;
  readonly token: string;
}

type Caller = Pick<Principal, 'organizationId'>;

/** The set-up links of domains, for members. */
@Injectable()
export class SetupLinksService {
  constructor(
    private readonly links: SetupLinksRepository,
    private readonly pages: SetupPagesRepository,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly audit: AuditLog,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  async list(caller: Caller, projectId: string, idOrName: string, now: Date): Promise<readonly SetupLinkRow[]> {
    const { id } = await this.get(this.db, caller, projectId, idOrName);
    return this.links.list(id, now);
  }

  /** @throws RequestError `invalid_parameter` for a return URL of an origin that is not listed, `conflict` beyond the limit */
  async create(
    db: Database,
    caller: Caller,
    projectId: string,
    idOrName: string,
    { expiresIn, returnUrl }: NewSetupLink,
    now: Date,
  ): Promise<CreatedLink> {
    const { organizationId } = caller;
    const { id: domainId } = await this.get(db, caller, projectId, idOrName);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const row = await inTransaction(db, async (tx) => {
      await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, projectId, domainId);
      if (domain.state === 'removed') throw new RequestError('not_found', 'The domain was removed.');
      requireChangeable(domain.suspensions);
      if (returnUrl !== undefined) await this.requireOrigin(tx, organizationId, returnUrl);
      if ((await this.links.list(domainId, now, tx)).length >= MAX_SETUP_LINKS)
        throw new RequestError(
          'conflict',
          `The domain has ${MAX_SETUP_LINKS} set-up links, which is the most. End one first.`,
        );
      const expiresAt = new Date(now.getTime() + expiresIn * 1_000);
      const hash = sha256(token);
      const target = { organizationId, projectId, domainId };
      const created = { ...target, hash, returnUrl: returnUrl ?? null, createdAt: now, expiresAt };
      const inserted = await this.links.insert(tx, created);
      const subject = { kind: 'setup_link', id: inserted.id } as const;
      const detail = { name: domain.name, projectId };
      await this.audit.record(tx, { organizationId, type: 'setup_link.created', subject, detail });
      return inserted;
    });
    return { row, token };
  }

  /** @throws RequestError `not_found` */
  async delete(caller: Caller, projectId: string, idOrName: string, id: string): Promise<void> {
    const { organizationId } = caller;
    const domain = await this.get(this.db, caller, projectId, idOrName);
    await this.db.transaction().execute(async (tx) => {
      if (!(await this.links.delete(tx, domain.id, id)))
        throw new RequestError('not_found', 'The domain has no such set-up link.');
      const subject = { kind: 'setup_link', id } as const;
      const detail = { name: domain.name, projectId };
      await this.audit.record(tx, { organizationId, type: 'setup_link.deleted', subject, detail });
    });
  }

  private async get(db: Database, caller: Caller, projectId: string, idOrName: string): Promise<DomainRow> {
    await this.projects.get(caller.organizationId, projectId, db);
    return this.domains.get(projectId, idOrName, db);
  }

  private async requireOrigin(db: Database, organizationId: string, returnUrl: string): Promise<void> {
    const { returnOrigins } = await this.pages.read(organizationId, db);
    if (!returnOrigins.includes(new URL(returnUrl).origin))
      throw RequestError.ofField(
        'invalid_parameter',
        'returnUrl',
        'must have an origin that is listed in `returnOrigins` of the set-up page',
      );
  }
}

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
