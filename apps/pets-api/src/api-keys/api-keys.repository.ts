import { Inject, Injectable } from '@nestjs/common';
import type { Plan, Scope } from '@pets/contracts';
import type { Database, Tables, Tx } from '@pets/persistence';
import { expressionBuilder, type Expression, type SqlBool } from 'kysely';
import type { Principal } from '../http/principal.js';
import { DATABASE } from '../providers.js';

export interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly display: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface NewApiKeyRow {
  readonly organizationId: string;
  readonly name: string;
  readonly hash: Buffer;
  readonly display: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

const columns = [
  'id',
  'name',
  'display',
  'scopes',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'last_used_at as lastUsedAt',
  'revoked_at as revokedAt',
] as const;

@Injectable()
export class ApiKeysRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Who a key belongs to, by its hash; null when there is no such key, it was revoked or has expired. */
  async findPrincipal(hash: Buffer, now: Date): Promise<Principal | null> {
    const row = await this.db
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select(['api_keys.id', 'api_keys.organization_id', 'api_keys.scopes', 'organizations.plan'])
      .where('api_keys.hash', '=', hash)
      .where(isValidAt(now))
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      apiKeyId: row.id,
      sessionId: null,
      organizationId: row.organization_id,
      plan: row.plan as Plan,
      scopes: row.scopes as readonly Scope[],
    };
  }

  /** In order of creation, revoked and expired ones too. */
  async list(organizationId: string): Promise<ApiKeyRow[]> {
    const rows = await this.db
      .selectFrom('api_keys')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows as ApiKeyRow[];
  }

  async insert(key: NewApiKeyRow, db: Database = this.db): Promise<ApiKeyRow> {
    const row = await db
      .insertInto('api_keys')
      .values({
        organization_id: key.organizationId,
        name: key.name,
        hash: key.hash,
        display: key.display,
        scopes: key.scopes,
        expires_at: key.expiresAt,
        last_used_at: null,
        revoked_at: null,
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
    return row as ApiKeyRow;
  }

  /** Keeps a valid key from being revoked until the transaction ends. */
  async lockValid(tx: Tx, id: string, now: Date): Promise<{ readonly expiresAt: Date | null } | null> {
    const row = await tx
      .selectFrom('api_keys')
      .select('expires_at as expiresAt')
      .where('id', '=', id)
      .where(isValidAt(now))
      .forShare()
      .executeTakeFirst();
    return row ?? null;
  }

  /** Returns whether the organization has this key. The first revocation is the one that is remembered. */
  async revoke(organizationId: string, id: string, now: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('api_keys')
      .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Does nothing when a use after `notedSince` is noted already. */
  async noteUse(id: string, now: Date, notedSince: Date): Promise<void> {
    await this.db
      .updateTable('api_keys')
      .set({ last_used_at: now })
      .where('id', '=', id)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', notedSince)]))
      .execute();
  }
}

/** Condition on `api_keys`: neither revoked nor expired. */
export function isValidAt(now: Date): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, 'api_keys'>();
  const isUnexpired = eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]);
  return eb.and([eb('api_keys.revoked_at', 'is', null), isUnexpired]);
}
