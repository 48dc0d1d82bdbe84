import { Inject, Injectable } from '@nestjs/common';
import type { NewPet, Pet, PetStatus } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { DATABASE } from '../providers.js';

@Injectable()
export class PetsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async insert(organizationId: string, pet: NewPet): Promise<Pet> {
    const { id } = await this.db
      .insertInto('pets')
      .values({ organization_id: organizationId, name: pet.name, category_id: pet.categoryId, status: pet.status })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id, ...pet };
  }

  /** The next `limit` animals after an id, ascending. */
  async list(
    organizationId: string,
    page: { limit: number; status?: PetStatus | undefined; afterId: bigint | null },
  ): Promise<Pet[]> {
    const rows = await this.db
      .selectFrom('pets')
      .select(['id', 'name', 'category_id', 'status'])
      .where('organization_id', '=', organizationId)
      .$if(page.status !== undefined, (query) => query.where('status', '=', page.status ?? ''))
      .$if(page.afterId !== null, (query) => query.where('id', '>', page.afterId ?? 0n))
      .orderBy('id')
      .limit(page.limit)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      categoryId: row.category_id,
      status: row.status as PetStatus,
    }));
  }
}
