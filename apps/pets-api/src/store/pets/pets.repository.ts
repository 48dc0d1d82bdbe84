import { Inject, Injectable } from '@nestjs/common';
import type { ListPetsQuery, NewPet, Pet, PetStatus } from '@pets/contracts';
import type { Database, Pipeline, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { CompiledQuery, sql, type SqlBool } from 'kysely';
import { containsText, byNumber, findPage, readPage } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE, WRITES } from '../../platform/providers.js';
import { enqueueDeliveries } from '../enqueue-deliveries.js';
import { jsonOfPet, petColumns, petSelection } from './pets-page.query.js';

const newPetFields = Object.keys(petColumns).filter((field): field is keyof NewPet => field !== 'id');
const petJson = jsonOfPet(petColumns);

/** Statement that inserts an animal, and adds the deliveries to endpoints. */
const insertPet = {
  name: 'insert-pet',
  text: `
    insert into pets (organization_id, ${newPetFields.map((field) => petColumns[field]).join(', ')})
    values ($1, ${newPetFields.map((_field, index) => `$${index + 2}`).join(', ')})
    returning id, ${petJson} as json, ${enqueueDeliveries({ type: 'pet.created', table: 'pets', json: petJson })}`,
} as const;

export type PetFilters = Pick<ListPetsQuery, 'status' | 'q' | 'sort'>;

/** An animal as JSON text. */
export interface PetJson {
  readonly id: bigint;
  /** JSON as the API answers it. */
  readonly json: string;
}

@Injectable()
export class PetsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(WRITES) private readonly writes: Pipeline,
  ) {}

  /** Adds an animal in its own transaction: one statement through the pipeline. */
  async insert(organizationId: string, pet: NewPet): Promise<PetJson> {
    const { rows } = await this.writes.query<PetJson>({ ...insertPet, values: insertValues(organizationId, pet) });
    return onlyRow(rows);
  }

  /** Adds an animal as part of a transaction. */
  async insertWithin(tx: Tx, organizationId: string, pet: NewPet): Promise<PetJson> {
    const query = CompiledQuery.raw(insertPet.text, insertValues(organizationId, pet));
    return onlyRow((await tx.executeQuery<PetJson>(query)).rows);
  }

  /** @throws RequestError `not_found`, also for another organization's animal, with the same message */
  async get(organizationId: string, id: bigint): Promise<Pet> {
    const { rows } = await sql<Pet>`
      select ${sql.raw(petSelection)} from pets where id = ${id} and organization_id = ${organizationId}`.execute(
      this.db,
    );
    const [row] = rows;
    if (row === undefined) throw new RequestError('not_found', 'There is no such animal.');
    return row;
  }

  /** Searched or sorted; the list without either is in `pets-page.query.ts`. @param q what the name contains */
  async search(
    organizationId: string,
    { status, q, sort }: PetFilters,
    bounds: PageBounds,
  ): Promise<FoundPage<PetJson>> {
    const ofStatus = status === undefined ? sql`true` : sql`status = ${status}`;
    const where = sql<SqlBool>`organization_id = ${organizationId} and ${ofStatus}`;
    const filters = q === undefined ? [] : [containsText('name', q)];
    const found = await findPage(this.db, { from: sql`pets`, where, keyset: byNumber('id', sort), filters }, bounds);
    return readPage(found, async (ids) => {
      const { rows } = await sql<PetJson>`
        select id, ${sql.raw(petJson)} as json from pets where id = any(${ids}::bigint[])`.execute(this.db);
      return rows;
    });
  }

  /** Reads those animals of the organization, by id. */
  async findAll(organizationId: string, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Pet>> {
    if (ids.length === 0) return new Map();
    const { rows } = await sql<Pet>`
      select ${sql.raw(petSelection)} from pets
      where id = any(${ids.map(String)}::bigint[]) and organization_id = ${organizationId}`.execute(this.db);
    return new Map(rows.map((pet) => [pet.id, pet]));
  }

  /** Locks an animal for a change of its status; undefined also for another organization's. */
  async lockStatus(tx: Tx, organizationId: string, id: bigint): Promise<PetStatus | undefined> {
    const row = await tx
      .selectFrom('pets')
      .select('status')
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .forUpdate()
      .executeTakeFirst();
    return row?.status;
  }

  /** Throws when the animal does not have the status `from`, so that the transaction changes nothing. */
  async changeStatus(
    tx: Tx,
    organizationId: string,
    id: bigint,
    { from, to }: { readonly from: PetStatus; readonly to: PetStatus },
  ): Promise<void> {
    const { numUpdatedRows } = await tx
      .updateTable('pets')
      .set({ status: to })
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .where('status', '=', from)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new Error(`animal ${id} was not ${from} when it was to become ${to}`);
  }
}

function insertValues(organizationId: string, pet: NewPet): (string | null)[] {
  return [organizationId, ...newPetFields.map((field) => textOrNull(pet[field]))];
}

/** PostgreSQL reads a parameter as text, whatever the type of its column. */
function textOrNull(value: string | number | bigint | boolean | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

function onlyRow({ 0: row }: readonly PetJson[]): PetJson {
  if (row === undefined) throw new Error('an insertion returned no row');
  return { id: row.id, json: row.json };
}
