import { Inject, Injectable } from '@nestjs/common';
import type { NewPet, Pet, PetStatus } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { DomainError } from '@pets/platform';
import { DATABASE } from '../providers.js';

const columns = ['id', 'name', 'category_id as categoryId', 'status'] as const;

@Injectable()
export class PetsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async insert(db: Database, organizationId: string, pet: NewPet): Promise<Pet> {
    const { id } = await db
      .insertInto('pets')
      .values({ organization_id: organizationId, name: pet.name, category_id: pet.categoryId, status: pet.status })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id, ...pet };
  }

  /** @throws DomainError `not_found` also for another organization's animal, in the same words */
  async get(organizationId: string, id: bigint): Promise<Pet> {
    const row = await this.db
      .selectFrom('pets')
      .select(columns)
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (row === undefined) throw new DomainError('not_found', 'There is no such animal.');
    return row as Pet;
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
    return row?.status as PetStatus | undefined;
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
