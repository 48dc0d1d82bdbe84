import { Inject, Injectable } from '@nestjs/common';
import type { Plan } from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { reconcilePlanChanges } from '../limits/limits.repository.js';

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
}

@Injectable()
export class OrganizationsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async insert(name: string, plan: Plan, db: Database = this.db): Promise<string> {
    const { id } = await db
      .insertInto('organizations')
      .values({ name, plan })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** An organization that exists, since the request has a key of it. */
  async get(id: string): Promise<OrganizationRow> {
    return this.db
      .selectFrom('organizations')
      .select(['id', 'name', 'plan'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }

  /** Sets the plan, and reconciles custom domains with it. @returns whether the organization exists */
  async setPlan(id: string, plan: Plan, db: Database = this.db): Promise<boolean> {
    return inTransaction(db, async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('organizations')
        .set({ plan })
        .where('id', '=', id)
        .executeTakeFirst();
      await reconcilePlanChanges(tx, sql`select ${id}::uuid`);
      return numUpdatedRows > 0n;
    });
  }

  async exists(id: string): Promise<boolean> {
    return (
      (await this.db.selectFrom('organizations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
    );
  }
}
