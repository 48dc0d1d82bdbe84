import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ApiKey, ApiKeyCreator, KeyRevocationReason, ListApiKeysQuery, Scope } from '@pets/contracts';
import type { Database, Tables, Tx } from '@pets/persistence';
import { expressionBuilder, sql, type Expression, type SqlBool } from 'kysely';
import { containsText, byCreation, findPage, readPage } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';
import { actorDisplay } from '../audit/audit-log.js';

export interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly display: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly revocationReason: KeyRevocationReason | null;
  readonly createdBy: ApiKeyCreator;
  readonly person: ApiKey['person'];
}

type ApiKeyFilters = Pick<ListApiKeysQuery, 'state' | 'q' | 'sort' | 'personId'>;

/** Creator of a key, and the person to whom the key then belongs. */
export interface KeyCreator extends ApiKeyCreator {
  readonly personId: string | null;
  readonly leftBehindAt: Date | null;
}

export interface NewApiKeyRow {
  readonly organizationId: string;
  readonly name: string;
  readonly hash: Buffer;
  readonly display: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly creator: KeyCreator;
}

/** Facts about a key that stay true until the transaction ends. */
export interface LockedKey {
  readonly display: string;
  readonly expiresAt: Date | null;
  readonly scopes: readonly Scope[];
  readonly personId: string | null;
  readonly leftBehindAt: Date | null;
}

/** Facts that decide who may revoke a key. */
export interface RevocableKey {
  readonly scopes: readonly Scope[];
  readonly creatorId: string | null;
  readonly personId: string | null;
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
  'revocation_reason as revocationReason',
  sql<ApiKeyCreator>`jsonb_build_object(
    'kind', created_by_kind, 'id', created_by_id, 'display', ${actorDisplay('created_by')})`.as('createdBy'),
  sql<ApiKey['person']>`case when person_id is not null then jsonb_build_object(
    'id', person_id, 'name', (select coalesce(p.name, p.email) from people p where p.id = person_id),
    'isMember', exists (select from people p where p.id = person_id and p.removed_at is null)) end`.as('person'),
] as const;

@Injectable()
export class ApiKeysRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** In order of creation, including revoked and expired keys. @param now decides which keys have ended */
  async list(
    organizationId: string,
    { state, q, sort, personId }: ApiKeyFilters,
    bounds: PageBounds,
    now: Date,
  ): Promise<FoundPage<ApiKeyRow>> {
    const filters = [
      ...(state === undefined ? [] : [sql<SqlBool>`(${endsAt} > ${now}) = ${state === 'valid'}`]),
      ...(personId === undefined ? [] : [sql<SqlBool>`person_id = ${personId}`]),
      ...(q === undefined ? [] : [containsText('api_keys.name', q)]),
    ];
    const where = sql<SqlBool>`organization_id = ${organizationId} and not is_person`;
    const keyset = byCreation('api_keys', sort);
    const found = await findPage(this.db, { from: sql`api_keys`, where, keyset, filters }, bounds);
    return readPage(found, (ids) => this.db.selectFrom('api_keys').select(columns).where('id', 'in', ids).execute());
  }

  /** Counts keys that are neither revoked nor expired. */
  async countLive(organizationId: string, now: Date, db: Database = this.db): Promise<number> {
    const { count } = await db
      .selectFrom('api_keys')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('is_person', '=', false)
      .where(endsAt, '>', now)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Deletes ended keys of an organization but for the `kept` that ended last, a few at a time. */
  async deleteEndedBeyond(tx: Tx, organizationId: string, kept: number, now: Date): Promise<void> {
    await sql`
      with ended as (
        select id from api_keys
        where organization_id = ${organizationId} and ${endsAt} <= ${now} and not is_person
        order by ${endsAt} desc offset ${kept} limit ${DELETED_AT_ONCE}
      ), ${deleteDependents}
      delete from api_keys where id = any(array(select id from ended))`.execute(tx);
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
        created_by_kind: key.creator.kind,
        created_by_id: key.creator.id,
        created_by_display: key.creator.display,
        person_id: key.creator.personId,
        left_behind_at: key.creator.leftBehindAt,
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  /** Inserts the row below which the sessions of a person are. Nobody has its key: the hash is of nothing. */
  async insertForPerson(tx: Tx, organizationId: string, scopes: readonly Scope[]): Promise<string> {
    const hash = randomBytes(HASH_BYTES);
    const { id } = await tx
      .insertInto('api_keys')
      .values({
        ...{ organization_id: organizationId, hash, scopes, is_person: true, name: 'person', display: 'person' },
        ...{ expires_at: null, last_used_at: null, revoked_at: null },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** Gives the sessions of a person other scopes. */
  async setScopesOfPerson(tx: Tx, id: string, scopes: readonly Scope[]): Promise<void> {
    await tx.updateTable('api_keys').set({ scopes }).where('id', '=', id).where('is_person', '=', true).execute();
  }

  /** Ends the sessions of a person. */
  async revokeOfPerson(tx: Tx, id: string, now: Date): Promise<void> {
    await tx
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('is_person', '=', true)
      .execute();
    await tx.deleteFrom('sessions').where('api_key_id', '=', id).execute();
  }

  /**
   * Locks a valid key against revocation until the transaction ends; `exclusive` also against other transactions that
   * would lock it, which write the same rows.
   */
  async lockValid(tx: Tx, id: string, now: Date, mode: 'shared' | 'exclusive' = 'shared'): Promise<LockedKey | null> {
    const query = tx
      .selectFrom('api_keys')
      .select(['display', 'expires_at as expiresAt', 'scopes'])
      .select(['person_id as personId', 'left_behind_at as leftBehindAt'])
      .where('id', '=', id)
      .where(isValidAt(now));
    const row = await (mode === 'shared' ? query.forShare() : query.forNoKeyUpdate()).executeTakeFirst();
    return row ?? null;
  }

  async findRevocable(tx: Tx, organizationId: string, id: string): Promise<RevocableKey | null> {
    const found = await tx
      .selectFrom('api_keys')
      .select(['scopes', 'created_by_id as creatorId', 'person_id as personId'])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .where('is_person', '=', false)
      .executeTakeFirst();
    return found ?? null;
  }

  /** The first revocation stays, and a leak becomes its reason also later. @returns how many of these the organization has */
  async revoke(
    tx: Tx,
    organizationId: string,
    ids: readonly string[],
    reason: KeyRevocationReason | null,
    now: Date,
  ): Promise<number> {
    const { numUpdatedRows } = await tx
      .updateTable('api_keys')
      .set((eb) => ({
        revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)),
        revocation_reason: sql`case when revoked_at is null or ${reason === 'leaked'} then ${reason} else revocation_reason end`,
      }))
      .where('id', 'in', ids)
      .where('organization_id', '=', organizationId)
      .where('is_person', '=', false)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  /** Does nothing when a use after `recordedSince` is recorded already. */
  async recordUse(id: string, now: Date, recordedSince: Date): Promise<void> {
    await this.db
      .updateTable('api_keys')
      .set({ last_used_at: now })
      .where('id', '=', id)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', recordedSince)]))
      .execute();
  }
}

/** Length of a SHA-256 hash. */
const HASH_BYTES = 32;

/** When a key ends or has ended, as in the index that begins with the organization. */
const endsAt = sql<Date>`coalesce(least(revoked_at, expires_at), 'infinity'::timestamptz)`;

/** More than one creation adds. */
const DELETED_AT_ONCE = 10;

/** Deletes sessions and stored answers of the keys in `ended`, which are useless without their key. */
const deleteDependents = sql`
  deleted_sessions as (delete from sessions where api_key_id = any(array(select id from ended))),
  deleted_answers as (delete from idempotent_answers where api_key_id = any(array(select id from ended)))`;

/** Deletes keys that ended before a time, with what references them. @returns how many, at most `limit` */
export async function deleteEndedKeys(tx: Tx, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with ended as (
      select id from api_keys where least(revoked_at, expires_at) < ${before}
      order by least(revoked_at, expires_at) limit ${limit} for update skip locked
    ), ${deleteDependents}
    delete from api_keys where id = any(array(select id from ended))`.execute(tx);
  return Number(numAffectedRows);
}

/** Condition on `api_keys`: neither revoked nor expired. */
export function isValidAt(now: Date): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, 'api_keys'>();
  const isUnexpired = eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]);
  return eb.and([eb('api_keys.revoked_at', 'is', null), isUnexpired]);
}
