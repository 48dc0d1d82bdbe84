import { Inject, Injectable } from '@nestjs/common';
import type { PetStatus } from '@pets/contracts';
import type { Pipeline } from '@pets/persistence';
import type { PageBounds } from '../../http/paging/pages.js';
import { READS } from '../../platform/providers.js';
import { jsonOfPet, petColumns } from './pet-columns.js';

/**
 * The list is the most frequent request, so it is one prepared statement along the keyset index, which joins the stored
 * JSON of the animals: no row becomes an object in Node.
 *
 * The limit is part of the text: with a parameter, PostgreSQL would plan for more rows. One row more than the limit
 * shows whether there is a next page.
 */
function prepareStatement(limit: number, isFiltered: boolean): Statement {
  return {
    name: `list-pets-${limit}${isFiltered ? '-of-status' : ''}`,
    text: `
      select string_agg(animal, E',\\n') as lines, count(*)::int as count
      from (
        select ${jsonOfPet(petColumns)} as animal from pets
        where organization_id = $1 and id > $2 ${isFiltered ? 'and status = $3' : ''} order by id limit ${limit + 1}
      ) page`,
  };
}

export interface PetsPage {
  /** The body: an array of animals. */
  readonly json: string;
  /** The id after which the next page begins; null when there is none. */
  readonly lastId: string | null;
}

interface Statement {
  readonly name: string;
  readonly text: string;
}

interface Row {
  /** One animal a line; null when there is none. JSON escapes line breaks in texts, so each line is one animal. */
  readonly lines: string | null;
  readonly count: number;
}

@Injectable()
export class PetsPageQuery {
  private readonly filtered: Statement[] = [];
  private readonly unfiltered: Statement[] = [];

  constructor(@Inject(READS) private readonly reads: Pipeline) {}

  /** @param limit from 1 to 100: each limit has its own statements */
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
