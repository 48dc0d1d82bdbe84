import { Inject, Injectable } from '@nestjs/common';
import type { Person, Role } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql, type SqlBool } from 'kysely';
import { byCreation, findPage, readPage } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';

/** A person who has not been removed. */
export interface PersonRow {
  readonly id: string;
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly role: Role;
  readonly createdAt: Date;
  readonly lastSignInAt: Date;
  /** Whether a claim of the identity provider began the membership, which then ends with the claim. */
  readonly isAddedByClaim: boolean;
}

/** Somebody who has been removed. */
export type FormerPerson = Pick<PersonRow, 'id' | 'organizationId'>;

/** Memberships that one identity had. */
const MAX_FORMER = 1_000;

/** Identity of a person: never the e-mail address, which may change its owner. */
export interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/** Name and address of a person from the provider, for display. */
export interface Profile {
  readonly name: string | null;
  readonly email: string | null;
}

@Injectable()
export class PeopleRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async list(organizationId: string, bounds: PageBounds): Promise<FoundPage<PersonRow>> {
    const where = sql<SqlBool>`organization_id = ${organizationId} and removed_at is null`;
    const query = { from: sql`people`, where, keyset: byCreation('people', undefined), filters: [] };
    return readPage(await findPage(this.db, query, bounds), (ids) =>
      selectPeople(this.db).where('id', 'in', ids).execute(),
    );
  }

  async find(organizationId: string, id: string): Promise<PersonRow | null> {
    const found = await selectPeople(this.db)
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst();
    return found ?? null;
  }

  /** Locks a person of an organization. */
  async lock(tx: Tx, organizationId: string, id: string): Promise<PersonRow | null> {
    const found = await selectPeople(tx)
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    return found ?? null;
  }

  /** Other transactions that look for the same subject wait until this one ends, so that a subject has one person at most. */
  async lockSubject(tx: Tx, { issuer, subject }: Subject): Promise<PersonRow | null> {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`person ${issuer} ${subject}`}, 0))`.execute(tx);
    const found = await selectPeople(tx).where('issuer', '=', issuer).where('subject', '=', subject).executeTakeFirst();
    return found ?? null;
  }

  /** Former memberships of a subject, the last one first. */
  async listFormer(tx: Tx, { issuer, subject }: Subject): Promise<FormerPerson[]> {
    return tx
      .selectFrom('people')
      .select(['id', 'organization_id as organizationId'])
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .where('removed_at', 'is not', null)
      .orderBy('removed_at', 'desc')
      .limit(MAX_FORMER)
      .execute();
  }

  /** Whether somebody removed the subject from the organization, and not only its claim. */
  async wasRemoved(tx: Tx, organizationId: string, { issuer, subject }: Subject): Promise<boolean> {
    const found = await tx
      .selectFrom('people')
      .select('id')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .where('organization_id', '=', organizationId)
      .where('removed_at', 'is not', null)
      .where('removed_by_claim', '=', false)
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  async count(tx: Tx, organizationId: string, role?: Role): Promise<number> {
    const { count } = await tx
      .selectFrom('people')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('removed_at', 'is', null)
      .$if(role !== undefined, (query) => query.where('role', '=', role ?? 'owner'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async insert(
    tx: Tx,
    person: Subject & Profile & Pick<PersonRow, 'organizationId' | 'apiKeyId' | 'role' | 'isAddedByClaim'>,
    now: Date,
  ): Promise<PersonRow> {
    const { organizationId, apiKeyId, issuer, subject, name, email, role, isAddedByClaim } = person;
    const { id, created_at: createdAt } = await tx
      .insertInto('people')
      .values({
        ...{ organization_id: organizationId, api_key_id: apiKeyId, issuer, subject, name, email, role },
        ...{ last_sign_in_at: now, added_by_claim: isAddedByClaim, removed_at: null },
      })
      .returning(['id', 'created_at'])
      .executeTakeFirstOrThrow();
    return { id, organizationId, apiKeyId, name, email, role, createdAt, lastSignInAt: now, isAddedByClaim };
  }

  async recordSignIn(tx: Tx, id: string, { name, email }: Profile, now: Date): Promise<void> {
    await tx.updateTable('people').set({ name, email, last_sign_in_at: now }).where('id', '=', id).execute();
  }

  async setRole(tx: Tx, id: string, role: Role): Promise<void> {
    await tx.updateTable('people').set({ role }).where('id', '=', id).execute();
  }

  /** The membership no longer ends with the claim. */
  async keepWithoutClaim(tx: Tx, id: string): Promise<void> {
    await tx.updateTable('people').set({ added_by_claim: false }).where('id', '=', id).execute();
  }

  async markRemoved(tx: Tx, id: string, by: 'request' | 'claim', now: Date): Promise<void> {
    const removed = { removed_at: now, removed_by_claim: by === 'claim' };
    await tx.updateTable('people').set(removed).where('id', '=', id).execute();
  }
}

/** Presents a person as the API shows them. */
export function presentPerson({ id, name, email, role, createdAt, lastSignInAt }: PersonRow): Person {
  const times = { createdAt: createdAt.toISOString(), lastSignInAt: lastSignInAt.toISOString() };
  return { id, name, email, role, ...times };
}

function selectPeople(db: Database) {
  return db
    .selectFrom('people')
    .select(['id', 'organization_id as organizationId', 'name', 'email', 'role'])
    .select(['created_at as createdAt', 'last_sign_in_at as lastSignInAt', 'added_by_claim as isAddedByClaim'])
    .select((eb) => eb.ref('api_key_id').$notNull().as('apiKeyId'))
    .where('removed_at', 'is', null);
}
