import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { MAX_SETUP_LINKS, type NewSetupLink } from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql } from 'kysely';
import { AuditLog } from '../access/audit/audit-log.js';
import { requireChangeable } from '../access/suspensions/suspensions.repository.js';
import { type Principal } from '../http/principal.js';
import type { DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { isLiveSetupLink } from '../names/live-setup-links.js';
import { sha256 } from '../platform/hashes.js';
import { DATABASE } from '../platform/providers.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { SetupPagesRepository } from './setup-pages.repository.js';

export interface SetupLinkRow {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly returnUrl: string | null;
}

/** A new link of a domain. */
interface NewRow {
  readonly organizationId: string;
  readonly projectId: string;
  readonly domainId: string;
  readonly hash: Buffer;
  readonly returnUrl: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const columns = sql`l.id, l.created_at as "createdAt", l.expires_at as "expiresAt", l.return_url as "returnUrl"`;

@Injectable()
export class SetupLinksRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** The live links of a domain, newest first. */
  async list(domainId: string, now: Date, db: Database = this.db): Promise<readonly SetupLinkRow[]> {
    const { rows } = await sql<SetupLinkRow>`
      select ${columns} from setup_links l where l.domain_id = ${domainId} and ${isLiveSetupLink(now)}
      order by l.created_at desc, l.id`.execute(db);
    return rows;
  }

  async insert(tx: Tx, { organizationId, projectId, domainId, hash, ...row }: NewRow): Promise<SetupLinkRow> {
    const { rows } = await sql<SetupLinkRow>`
      insert into setup_links as l (organization_id, project_id, domain_id, hash, return_url, created_at, expires_at)
      values (${organizationId}, ${projectId}, ${domainId}, ${hash}, ${row.returnUrl}, ${row.createdAt}, ${row.expiresAt})
      returning ${columns}`.execute(tx);
    const [inserted] = rows;
    if (inserted === undefined) throw new Error('an insert without a conflict returned no row');
    return inserted;
  }

  /** @returns whether the domain had the link */
  async delete(tx: Tx, domainId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await tx
      .deleteFrom('setup_links')
      .where('id', '=', id)
      .where('domain_id', '=', domainId)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** The live link with a token, by its hash; null without one. */
  async findByHash(hash: Buffer, now: Date): Promise<Pick<SetupLinkRow, 'id' | 'expiresAt'> | null> {
    const { rows } = await sql<SetupLinkRow>`
      select ${columns} from setup_links l where l.hash = ${hash} and ${isLiveSetupLink(now)}`.execute(this.db);
    return rows[0] ?? null;
  }
}

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
