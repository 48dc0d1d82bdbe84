import { Inject, Injectable } from '@nestjs/common';
import type { ListPetsQuery, NewPet, Pet, PetStatus, WebhookEventType } from '@pets/contracts';
import type { Database, Pipeline, Tables, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { CompiledQuery, sql, type SqlBool } from 'kysely';
import { containsText, byNumber, findPage, readPage } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE, READS, WRITES } from '../../platform/providers.js';

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
const petSelection = Object.entries(petColumns)
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

const newPetFields = Object.keys(petColumns).filter((field): field is keyof NewPet => field !== 'id');

const petJson = jsonOfPet(petColumns);

/** Statement that inserts an animal, and adds the deliveries to endpoints. */
const insertPet = {
  name: 'insert-pet',
  text: `
    insert into pets (organization_id, ${newPetFields.map((field) => petColumns[field]).join(', ')})
    values ($1, ${newPetFields.map((_field, index) => `$${index + 2}`).join(', ')})
    returning id, ${petJson} as json, ${enqueueDeliveries({ type: 'pet.created', table: 'pets', json: petJson })}`,
} as const;

export type PetFilters = Pick<ListPetsQuery, 'status' | 'q' | 'sort'>;

/** An animal as JSON text. */
interface PetJson {
  readonly id: bigint;
  /** JSON as the API answers it. */
  readonly json: string;
}

@Injectable()
export class PetsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(WRITES) private readonly writes: Pipeline,
  ) {}

  /** Adds an animal in its own transaction: one statement through the pipeline. */
  async insert(organizationId: string, pet: NewPet): Promise<PetJson> {
    const { rows } = await this.writes.query<PetJson>({ ...insertPet, values: insertValues(organizationId, pet) });
    return onlyRow(rows);
  }

  /** Adds an animal as part of a transaction. */
  async insertWithin(tx: Tx, organizationId: string, pet: NewPet): Promise<PetJson> {
    const query = CompiledQuery.raw(insertPet.text, insertValues(organizationId, pet));
    return onlyRow((await tx.executeQuery<PetJson>(query)).rows);
  }

  /** @throws RequestError `not_found`, also for another organization's animal, with the same message */
  async get(organizationId: string, id: bigint): Promise<Pet> {
    const { rows } = await sql<Pet>`
      select ${sql.raw(petSelection)} from pets where id = ${id} and organization_id = ${organizationId}`.execute(
      this.db,
    );
    const [row] = rows;
    if (row === undefined) throw new RequestError('not_found', 'There is no such animal.');
    return row;
  }

  /** Searched or sorted; the list without either is `PetsPageQuery`. @param q what the name contains */
  async search(
    organizationId: string,
    { status, q, sort }: PetFilters,
    bounds: PageBounds,
  ): Promise<FoundPage<PetJson>> {
    const ofStatus = status === undefined ? sql`true` : sql`status = ${status}`;
    const where = sql<SqlBool>`organization_id = ${organizationId} and ${ofStatus}`;
    const filters = q === undefined ? [] : [containsText('name', q)];
    const found = await findPage(this.db, { from: sql`pets`, where, keyset: byNumber('id', sort), filters }, bounds);
    return readPage(found, async (ids) => {
      const { rows } = await sql<PetJson>`
        select id, ${sql.raw(petJson)} as json from pets where id = any(${ids}::bigint[])`.execute(this.db);
      return rows;
    });
  }

  /** Reads those animals of the organization, by id. */
  async findAll(organizationId: string, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Pet>> {
    if (ids.length === 0) return new Map();
    const { rows } = await sql<Pet>`
      select ${sql.raw(petSelection)} from pets
      where id = any(${ids.map(String)}::bigint[]) and organization_id = ${organizationId}`.execute(this.db);
    return new Map(rows.map((pet) => [pet.id, pet]));
  }

  /** Locks an animal for a change of its status; undefined also for another organization's. */
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

  /** Throws when the animal does not have the status `from`, so that the transaction changes nothing. */
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

function insertValues(organizationId: string, pet: NewPet): (string | null)[] {
  return [organizationId, ...newPetFields.map((field) => textOrNull(pet[field]))];
}

/** PostgreSQL reads a parameter as text, whatever the type of its column. */
function textOrNull(value: string | number | bigint | boolean | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

function onlyRow({ 0: row }: readonly PetJson[]): PetJson {
  if (row === undefined) throw new Error('an insertion returned no row');
  return { id: row.id, json: row.json };
}

interface Creation {
  readonly type: WebhookEventType;
  /** The table of the insertion. It has `organization_id`, `id` and `created_at`. */
  readonly table: string;
  /** SQL: the resource as the API shows it, JSON text. */
  readonly json: string;
}

/**
 * SQL for the `returning` of an insertion: adds the deliveries of the new resource in the same statement, so that they
 * exist exactly if the resource does, without another round trip. Without a subscription it costs two index scans.
 * The value of the column has no meaning. The text contains no input of clients.
 */
export function enqueueDeliveries({ type, table, json }: Creation): string {
  return `
    case when exists (
      select from webhook_subscriptions e
      where e.organization_id = ${table}.organization_id and e.project_id is null
        and '${type}' = any(e.event_types)
    ) then enqueue_deliveries(organization_id, '{}', '${type}', id::text, 1, created_at, ${json}) end as enqueued`;
}
