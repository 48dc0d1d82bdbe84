import { Inject, Injectable } from '@nestjs/common';
import type { Pet, PetStatus } from '@pets/contracts';
import type { Pipeline, Tables } from '@pets/persistence';
import type { PageBounds } from '../../http/paging/pages.js';
import { READS } from '../../platform/providers.js';

type PetColumns = Readonly<Record<string, keyof Tables['pets']>>;

/**
 * Every field of an animal and its column, in the order of the JSON. The list, `createPet`, `getPet` and webhooks use
 * it: a new field is a line here.
 */
export const petColumns = {
  id: 'id',
  name: 'name',
  categoryId: 'category_id',
  status: 'status',
} as const satisfies Readonly<Record<keyof Pet, keyof Tables['pets']>>;

/** The columns for a `select`, named as the fields. */
export const petSelection = Object.entries(petColumns)
  .map(([field, column]) => `${column} as "${field}"`)
  .join(', ');

/** The fields of `as_json`. A stored generated column cannot change without a rewrite of the table under its lock. */
const storedFields: ReadonlySet<string> = new Set(['id', 'name', 'categoryId', 'status']);

/** SQL: an animal as JSON text, which is `as_json` with the fields that were added since. */
export function jsonOfPet(columns: PetColumns): string {
  const added = Object.entries(columns).filter(([field]) => !storedFields.has(field));
  const members = added.map(([field, column]) => `',"${field}":' || coalesce(to_json(${column})::text, 'null')`);
  return members.length === 0 ? 'as_json' : `left(as_json, -1) || ${members.join(' || ')} || '}'`;
}

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
