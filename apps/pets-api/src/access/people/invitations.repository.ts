import { Inject, Injectable } from '@nestjs/common';
import { roles, scopesOfRole, type Role } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { byCreation, findPage, readPage } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';

export interface InvitationRow {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** An invitation that is used, and who invited: a person, another key, or the operator. */
export interface TakenInvitation extends InvitationRow {
  readonly inviterKind: 'person' | 'api_key' | 'operator';
  readonly inviterId: string | null;
}

type NewRow = Pick<InvitationRow, 'organizationId' | 'name' | 'role' | 'expiresAt'> & {
  readonly hash: Buffer;
  /** Null for the operator. */
  readonly apiKeyId: string | null;
};

const columns = [
  'id',
  'organization_id as organizationId',
  'name',
  'role',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const;

@Injectable()
export class InvitationsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Lists the invitations that can be used. */
  async list(organizationId: string, bounds: PageBounds, now: Date): Promise<FoundPage<InvitationRow>> {
    const where = sql<SqlBool>`organization_id = ${organizationId} and ${isUsable(now)}`;
    const query = { from: sql`invitations i`, id: 'i.id', where, keyset: byCreation('i', undefined), filters: [] };
    return readPage(await findPage(this.db, query, bounds), (ids) =>
      this.db.selectFrom('invitations').select(columns).where('id', 'in', ids).execute(),
    );
  }

  async count(tx: Tx, organizationId: string): Promise<number> {
    const { count } = await tx
      .selectFrom('invitations')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Deletes what can no longer be used, so that it does not count. */
  async deleteUnusable(tx: Tx, organizationId: string, now: Date): Promise<void> {
    await sql`delete from invitations i where organization_id = ${organizationId} and not ${isUsable(now)}`.execute(tx);
  }

  async insert(tx: Tx, { organizationId, name, role, hash, apiKeyId, expiresAt }: NewRow): Promise<InvitationRow> {
    return tx
      .insertInto('invitations')
      .values({ organization_id: organizationId, name, role, hash, api_key_id: apiKeyId, expires_at: expiresAt })
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  /** The organization and id of an invitation, whether or not it can be used. */
  async find(tx: Tx, hash: Buffer): Promise<Pick<InvitationRow, 'id' | 'organizationId'> | null> {
    const found = await tx
      .selectFrom('invitations')
      .select(['id', 'organization_id as organizationId'])
      .where('hash', '=', hash)
      .executeTakeFirst();
    return found ?? null;
  }

  /** Deletes an invitation that is used now. @returns null if it is unknown, used, expired or void */
  async take(tx: Tx, hash: Buffer, now: Date): Promise<TakenInvitation | null> {
    const { rows } = await sql<TakenInvitation>`
      delete from invitations i where i.hash = ${hash} and ${isUsable(now)}
      returning id, organization_id as "organizationId", name, role, created_at as "createdAt", expires_at as "expiresAt",
        case when i.api_key_id is null then 'operator'
          when exists (select from people p where p.api_key_id = i.api_key_id) then 'person' else 'api_key' end as "inviterKind",
        coalesce((select p.id from people p where p.api_key_id = i.api_key_id), i.api_key_id) as "inviterId"
    `.execute(tx);
    return rows[0] ?? null;
  }

  /** @returns its role; null if the organization has no such invitation */
  async delete(tx: Tx, organizationId: string, id: string): Promise<Role | null> {
    const deleted = await tx
      .deleteFrom('invitations')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .returning('role')
      .executeTakeFirst();
    return deleted?.role ?? null;
  }

  async deleteOfKey(tx: Tx, apiKeyId: string): Promise<void> {
    await tx.deleteFrom('invitations').where('api_key_id', '=', apiKeyId).execute();
  }
}

/** Condition on `invitations i`: not expired, and who invites still has all scopes of the role. */
function isUsable(now: Date): RawBuilder<SqlBool> {
  const needed = roles.map((role) => sql`when ${role} then ${scopesOfRole[role]}::text[]`);
  return sql<SqlBool>`(i.expires_at > ${now} and (i.api_key_id is null or exists (
    select from api_keys k where k.id = i.api_key_id and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > ${now})
      and k.scopes @> case i.role ${sql.join(needed, sql` `)} end
  )))`;
}
