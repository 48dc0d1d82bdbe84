import { Inject, Injectable } from '@nestjs/common';
import type { PetStatus } from '@pets/contracts';
import type { Pool } from '@pets/persistence';
import type { PageBounds } from '../listing/pages.js';
import { POOL } from '../providers.js';

/**
 * The list is what clients ask for most, so it goes the short way: one statement, prepared once on each connection,
 * along the keyset index; and PostgreSQL writes the JSON, so that no row becomes an object here and no digit is touched.
 * `status` is one of a closed set and needs no escaping.
 *
 * The limit stands in the text: were it a parameter, PostgreSQL would not know how few rows are wanted and would plan
 * each execution anew, which costs more than running it.
 */
function prepareStatement(limit: number, isFiltered: boolean): Statement {
  const filter = isFiltered ? 'and status = $3' : '';
  return {
    name: `list-pets-${limit}${isFiltered ? '-of-status' : ''}`,
    text: `
      select '[' || coalesce(json, '') || ']' as json, last,
        exists (select from pets where organization_id = $1 and id > last ${filter}) as more
      from (
        select max(id) as last, string_agg(
          '{"id":' || id || ',"name":' || to_json(name) || ',"categoryId":' || category_id || ',"status":"' || status || '"}', ','
        ) as json
        from (
          select id, name, category_id, status from pets
          where organization_id = $1 and id > $2 ${filter} order by id limit ${limit}
        ) animals
      ) page`,
  };
}

export interface PetsPage {
  /** The body: an array of animals. */
  readonly json: string;
  /** The last animal's id when something follows it, else null. */
  readonly lastId: bigint | null;
}

interface Statement {
  readonly name: string;
  readonly text: string;
}

interface Row {
  readonly json: string;
  readonly last: bigint | null;
  readonly more: boolean;
}

@Injectable()
export class PetsPageQuery {
  private readonly filtered: Statement[] = [];
  private readonly unfiltered: Statement[] = [];

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** @param limit from 1 to 100: each has statements of its own */
  async run(organizationId: string, { limit, afterId }: PageBounds, status: PetStatus | undefined): Promise<PetsPage> {
    const values = [organizationId, afterId, ...(status === undefined ? [] : [status])];
    const { rows } = await this.pool.query<Row>({ ...this.statement(limit, status !== undefined), values });
    const [page] = rows;
    if (page === undefined) throw new Error('an aggregate came back without a row');
    return { json: page.json, lastId: page.more ? page.last : null };
  }

  private statement(limit: number, isFiltered: boolean) {
    const statements = isFiltered ? this.filtered : this.unfiltered;
    return (statements[limit] ??= prepareStatement(limit, isFiltered));
  }
}
