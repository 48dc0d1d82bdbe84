import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { isLiveSetupLink } from '../names/live-setup-links.js';
import { DATABASE } from '../platform/providers.js';

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
