import { Inject, Injectable } from '@nestjs/common';
import type { SetupPage } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { DATABASE } from '../platform/providers.js';

const unset: SetupPage = { name: null, color: null, supportAddress: null, returnOrigins: [] };

/** The look of the set-up pages of organizations. */
@Injectable()
export class SetupPagesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async read(organizationId: string, db: Database = this.db): Promise<SetupPage> {
    const row = await db
      .selectFrom('setup_pages')
      .select(['name', 'color', 'support_address as supportAddress', 'return_origins as returnOrigins'])
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    return row === undefined ? unset : { ...row, returnOrigins: [...row.returnOrigins] };
  }

  async write(db: Database, organizationId: string, page: SetupPage): Promise<void> {
    const { name, color, supportAddress: support_address, returnOrigins: return_origins } = page;
    const row = { name, color, support_address, return_origins };
    await db
      .insertInto('setup_pages')
      .values({ organization_id: organizationId, ...row })
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
      .execute();
  }
}
