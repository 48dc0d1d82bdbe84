import { Inject, Injectable } from '@nestjs/common';
import type { NewPet, Pet, PetStatus } from '@pets/contracts';
import type { Database, Pipeline, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { CompiledQuery, sql } from 'kysely';
import { DATABASE, WRITES } from '../../platform/providers.js';
import { enqueueDeliveries } from '../enqueue-deliveries.js';
import { jsonOfPet, petColumns, petSelection } from './pet-columns.js';

const newPetFields = Object.keys(petColumns).filter((field): field is keyof NewPet => field !== 'id');
const petJson = jsonOfPet(petColumns);

/** Also adds the deliveries to endpoints. */
const insertPet = {
  name: 'insert-pet',
  text: `
    insert into pets (organization_id, ${newPetFields.map((field) => petColumns[field]).join(', ')})
    values ($1, ${newPetFields.map((_field, index) => `$${index + 2}`).join(', ')})
    returning id, ${petJson} as json, ${enqueueDeliveries({ type: 'pet.created', table: 'pets', json: petJson })}`,
} as const;

export interface InsertedPet {
  readonly id: bigint;
  /** The animal as the API answers it. */
  readonly json: string;
}

@Injectable()
export class PetsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(WRITES) private readonly writes: Pipeline,
  ) {}

  /** Adds an animal in its own transaction: one statement through the pipeline. */
  async insert(organizationId: string, pet: NewPet): Promise<InsertedPet> {
    const { rows } = await this.writes.query<InsertedPet>({ ...insertPet, values: insertValues(organizationId, pet) });
    return onlyRow(rows);
  }

  /** Adds an animal as part of a transaction. */
  async insertWithin(tx: Tx, organizationId: string, pet: NewPet): Promise<InsertedPet> {
    const query = CompiledQuery.raw(insertPet.text, insertValues(organizationId, pet));
    return onlyRow((await tx.executeQuery<InsertedPet>(query)).rows);
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

function onlyRow({ 0: row }: readonly InsertedPet[]): InsertedPet {
  if (row === undefined) throw new Error('an insertion returned no row');
  return { id: row.id, json: row.json };
}
