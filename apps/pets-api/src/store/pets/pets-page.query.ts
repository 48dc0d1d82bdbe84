import { Inject, Injectable } from '@nestjs/common';
import type { PetStatus } from '@pets/contracts';
import type { Pipeline } from '@pets/persistence';
import type { PageBounds } from '../../http/paging/pages.js';
import { READS } from '../../platform/providers.js';
import { petJson } from './pet-json.js';

/**
 * The list is what clients ask for most, so it goes the short way: one prepared statement along the keyset index, which
 * joins the JSON that is kept with each animal. No row becomes an object here, and no digit is touched.
 *
 * The limit stands in the text: were it a parameter, PostgreSQL would not know how few rows are wanted. One row more
 * than wanted tells whether there is a next page.
 */
function prepareStatement(limit: number, isFiltered: boolean): Statement {
  return {
    name: `list-pets-${limit}${isFiltered ? '-of-status' : ''}`,
    text: `
      select string_agg(animal, E',\\n') as lines, count(*)::int as count
      from (
        select ${petJson} as animal from pets
        where organization_id = $1 and id > $2 ${isFiltered ? 'and status = $3' : ''} order by id limit ${limit + 1}
      ) page`,
  };
}

export interface PetsPage {
  /** The body: an array of animals. */
  readonly json: string;
  /** The last animal's id when something follows it, else null. */
  readonly lastId: string | null;
}

interface Statement {
  readonly name: string;
  readonly text: string;
}

interface Row {
  /** An animal a line; null when there is none. A line's end within a text is escaped in JSON, so lines can be told. */
  readonly lines: string | null;
  readonly count: number;
}

@Injectable()
export class PetsPageQuery {
  private readonly filtered: Statement[] = [];
  private readonly unfiltered: Statement[] = [];

  constructor(@Inject(READS) private readonly reads: Pipeline) {}

  /** @param limit from 1 to 100: each has statements of its own */
  async run(organizationId: string, { limit, afterId }: PageBounds, status: PetStatus | undefined): Promise<PetsPage> {
    const { name, text } = this.statement(limit, status !== undefined);
    const values = status === undefined ? [organizationId, afterId] : [organizationId, afterId, status];
    const { rows } = await this.reads.query<Row>({ name, text, values });
    const [row] = rows;
    if (row === undefined) throw new Error('an aggregate came back without a row');
    return cutPage(row, limit);
  }

  private statement(limit: number, isFiltered: boolean): Statement {
    const statements = isFiltered ? this.filtered : this.unfiltered;
    return (statements[limit] ??= prepareStatement(limit, isFiltered));
  }
}

function cutPage({ lines, count }: Row, limit: number): PetsPage {
  if (lines === null) return { json: '[]', lastId: null };
  if (count <= limit) return { json: `[${lines}]`, lastId: null };
  const page = lines.slice(0, lines.lastIndexOf(',\n'));
  const lastId = /\d+/.exec(page.slice(page.lastIndexOf('\n') + 1))?.[0];
  if (lastId === undefined) throw new Error('an animal came back without an id');
  return { json: `[${page}]`, lastId };
}
