import { Inject, Injectable } from '@nestjs/common';
import type { NewPet, Pet, PetStatus } from '@pets/contracts';
import type { Database, Pipeline, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { CompiledQuery } from 'kysely';
import { DATABASE, WRITES } from '../../platform/providers.js';
import { enqueueDeliveries } from '../enqueue-deliveries.js';
import { petJson } from './pet-json.js';

const columns = ['id', 'name', 'category_id as categoryId', 'status'] as const;

/** Endpoints that want to be told are, by the same statement. */
const insertPet = {
  name: 'insert-pet',
  text: `
    insert into pets (organization_id, name, category_id, status) values ($1, $2, $3, $4)
    returning id, ${petJson} as json, ${enqueueDeliveries({ type: 'pet.created', table: 'pets', json: petJson })}`,
} as const;

interface InsertedRow {
  readonly id: bigint;
  readonly json: string;
}

@Injectable()
export class PetsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(WRITES) private readonly writes: Pipeline,
  ) {}

  /** Adds an animal and returns it as the API answers it. What is no part of a transaction goes the short way. */
  async insert(
    db: Database,
    organizationId: string,
    { name, categoryId, status }: NewPet,
  ): Promise<{ readonly id: bigint; readonly json: string }> {
    const values = [organizationId, name, String(categoryId), status];
    const { rows } = db.isTransaction
      ? await db.executeQuery<InsertedRow>(CompiledQuery.raw(insertPet.text, values))
      : await this.writes.query<InsertedRow>({ ...insertPet, values });
    const [row] = rows;
    if (row === undefined) throw new Error('an insertion came back without its row');
    return { id: row.id, json: row.json };
  }

  /** @throws DomainError `not_found` also for another organization's animal, in the same words */
  async get(organizationId: string, id: bigint): Promise<Pet> {
    const row = await this.db
      .selectFrom('pets')
      .select(columns)
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (row === undefined) throw new RequestError('not_found', 'There is no such animal.');
    return row;
  }

  /** Locks an animal for what is to change its status; undefined also for another organization's. */
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

  /** Throws when the animal is not as the caller has found it, so that the transaction changes nothing. */
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
