import { Inject, Injectable } from '@nestjs/common';
import type { Plan } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { DATABASE } from '../providers.js';

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
}

@Injectable()
export class OrganizationsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async insert(name: string, plan: Plan): Promise<string> {
    const { id } = await this.db
      .insertInto('organizations')
      .values({ name, plan })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** One that is known to be there, since a key of it is asking. */
  async get(id: string): Promise<OrganizationRow> {
    const row = await this.db
      .selectFrom('organizations')
      .select(['id', 'name', 'plan'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return row as OrganizationRow;
  }

  /** Returns whether there is such an organization. */
  async setPlan(id: string, plan: Plan): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('organizations')
      .set({ plan })
      .where('id', '=', id)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async exists(id: string): Promise<boolean> {
    return (
      (await this.db.selectFrom('organizations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
    );
  }
}
