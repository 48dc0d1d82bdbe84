import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '@pets/contracts';
import type { Database, Tables, Tx } from '@pets/persistence';
import { expressionBuilder, sql, type Expression, type SqlBool } from 'kysely';
import type { Principal } from '../../http/principal.js';
import { limitRows, type LimitRows } from '../limits/limits.js';
import { isAfter, position, positioned } from '../../http/paging/by-creation.js';
import type { PageBounds, Positioned } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';
import { organizationSuspension } from '../suspensions/suspensions.repository.js';

/** A principal as the database knows it: the settings of this process decide on limits without a row. */
export type FoundPrincipal = Omit<Principal, 'limits'> & { readonly limitRows: LimitRows };

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
  async findPrincipal(hash: Buffer, now: Date): Promise<FoundPrincipal | null> {
    const row = await this.db
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select(['api_keys.id', 'api_keys.organization_id', 'api_keys.scopes', 'organizations.plan'])
      .select([limitRows.as('limitRows'), organizationSuspension.as('suspendedFor')])
      .where('api_keys.hash', '=', hash)
      .where(isValidAt(now))
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      apiKeyId: row.id,
      sessionId: null,
      organizationId: row.organization_id,
      plan: row.plan,
      scopes: row.scopes,
      suspendedFor: row.suspendedFor,
      limitRows: row.limitRows,
    };
  }

  /** In order of creation, revoked and expired ones too. */
  async list(organizationId: string, { limit, afterId }: PageBounds): Promise<Positioned<ApiKeyRow>[]> {
    const rows = await this.db
      .selectFrom('api_keys')
      .select(columns)
      .select(position.as('position'))
      .where('organization_id', '=', organizationId)
      .where(isAfter(afterId))
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(positioned);
  }

  /** Those that are neither revoked nor expired. */
  async countLive(organizationId: string, now: Date, db: Database = this.db): Promise<number> {
    const { count } = await db
      .selectFrom('api_keys')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('organization_id', '=', organizationId)
      .where(endsAt, '>', now)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Deletes some of the organization's keys that ended before its `kept` newest ended ones. */
  async deleteEndedBeyond(tx: Tx, organizationId: string, kept: number, now: Date): Promise<void> {
    await sql`
      with ended as (
        select id from api_keys
        where organization_id = ${organizationId} and ${endsAt} <= ${now}
        order by ${endsAt} desc offset ${kept} limit ${DELETED_AT_ONCE}
      ), ${withoutWhatRefersToThem}
      delete from api_keys where id in (select id from ended)`.execute(tx);
  }

  /** @returns how many keys that ended before `cutoff` were deleted, at most `limit` */
  async deleteEndedBefore(cutoff: Date, limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      with ended as (
        select id from api_keys where least(revoked_at, expires_at) < ${cutoff} limit ${limit} for update skip locked
      ), ${withoutWhatRefersToThem}
      delete from api_keys where id in (select id from ended)`.execute(this.db);
    return Number(numAffectedRows);
  }

  async insert(key: NewApiKeyRow, db: Database = this.db): Promise<ApiKeyRow> {
    return db
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
  }

  /**
   * Keeps a valid key from being revoked until the transaction ends; `exclusive` keeps others from locking it as well, for
   * what they would do to the same rows.
   */
  async lockValid(
    tx: Tx,
    id: string,
    now: Date,
    mode: 'shared' | 'exclusive' = 'shared',
  ): Promise<{ readonly expiresAt: Date | null } | null> {
    const query = tx
      .selectFrom('api_keys')
      .select('expires_at as expiresAt')
      .where('id', '=', id)
      .where(isValidAt(now));
    const row = await (mode === 'shared' ? query.forShare() : query.forNoKeyUpdate()).executeTakeFirst();
    return row ?? null;
  }

  /** Returns whether the organization has this key. The first revocation is the one that is remembered. */
  async revoke(organizationId: string, id: string, now: Date, db: Database = this.db): Promise<boolean> {
    const { numUpdatedRows } = await db
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

/** When a key ends or has ended, in the form of the index that begins with the organization. */
const endsAt = sql<Date>`coalesce(least(revoked_at, expires_at), 'infinity'::timestamptz)`;

/** As many as one creation may add, and some more. */
const DELETED_AT_ONCE = 10;

/** Sessions and kept answers of the keys in `ended`: both are of no use without their key. */
const withoutWhatRefersToThem = sql`
  deleted_sessions as (delete from sessions where api_key_id in (select id from ended)),
  deleted_answers as (delete from idempotent_answers where api_key_id in (select id from ended))`;

/** Condition on `api_keys`: neither revoked nor expired. */
export function isValidAt(now: Date): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, 'api_keys'>();
  const isUnexpired = eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]);
  return eb.and([eb('api_keys.revoked_at', 'is', null), isUnexpired]);
}
