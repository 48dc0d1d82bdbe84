/**
 * How much the database grows by a call of each writing operation, of a tenant whose limits allow a thousand calls. Calls have
 * the example of the catalog as their body, with names of their own, and ids of what the tenant has.
 */
import type { Tenant } from '@pets/lab';
import { operations, type Operation } from '@pets/contracts';
import type pg from 'pg';
import type { Figure } from '../figure.js';
import type { FairFixture } from './fair-fixture.js';

const CALLS = 1_000;
const CONCURRENT = 8;
/** Limit of one call: an animal with a delivery to each of 20 endpoints writes this much. */
const MOST_BYTES = 40_960;
const LIMITS = ['requestsPerMinute', 'projects', 'apiKeys', 'webhookEndpoints', 'domainsPerProject', 'databaseBytes'];

export async function measureGrowth(fixture: FairFixture): Promise<readonly Figure[]> {
  const tenant = fixture.stack.createTenant('pro');
  for (const name of LIMITS)
    await fixture.db.query(
      `insert into organization_limits (organization_id, name, value) values ($1, $2, 1000000000)`,
      [tenant.organizationId, name],
    );
  const ids = await createParents(fixture, tenant);
  const figures: Figure[] = [];
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    if (operation.method === 'get' || operation.holder === 'session') continue;
    const before = await databaseBytes(fixture.db);
    let next = 0;
    const repeat = async () => {
      for (let nth = next++; nth < CALLS; nth = next++) await call(fixture.apiUrl, tenant, operation, { ids, nth });
    };
    await Promise.all(Array.from({ length: CONCURRENT }, repeat));
    const grown = ((await databaseBytes(fixture.db)) - before) / CALLS;
    process.stdout.write(`${name}: ${grown.toFixed(0)} bytes a call\n`);
    figures.push({ name: `fair/growth/${name}`, ratio: grown / MOST_BYTES, bar: 1, isMaximum: true });
  }
  return figures;
}

type Ids = Readonly<Record<string, string>>;

/** Creates the resources that calls name in their paths. */
async function createParents({ apiUrl }: FairFixture, tenant: Tenant): Promise<Ids> {
  const create = async (path: string, body: object) => {
    const answer = await send(
      apiUrl,
      tenant,
      'post',
      path,
      { 'content-type': 'application/json' },
      JSON.stringify(body),
    );
    if (answer.status !== 201) throw new Error(`${path} was answered ${answer.status}: ${answer.text}`);
    return String((JSON.parse(answer.text) as { id: string | number }).id);
  };
  const eventTypes = ['pet.created'];
  return {
    projectId: await create('/v1/projects', { name: 'Growth', slug: `growth-${Date.now()}` }),
    petId: await create('/v1/pets', { name: 'Rex', categoryId: 1 }),
    endpointId: await create('/v1/webhook-endpoints', { url: 'https://hooks.example.com/growth', eventTypes }),
  };
}

async function call(
  apiUrl: string,
  tenant: Tenant,
  { method, path, body }: Operation,
  { ids, nth }: { readonly ids: Ids; readonly nth: number },
): Promise<void> {
  const target = path.replaceAll(
    /\{(\w+)\}/g,
    (_all, name: string) => ids[name] ?? '00000000-0000-4000-8000-000000000000',
  );
  if (body === undefined) return void (await send(apiUrl, tenant, method, target, {}));
  if ('mediaTypes' in body) {
    const file = `"d${nth}.growth.example.com"\n`;
    return void (await send(apiUrl, tenant, method, target, { 'content-type': body.mediaTypes[0] ?? '' }, file));
  }
  const example = body.schema.meta()?.['example'];
  const own = JSON.stringify(example ?? {}).replaceAll(
    /"(name|slug|externalId)":"([^"]*)"/g,
    (_all, field: string, value: string) => `"${field}":"${field === 'slug' ? `${value}-${nth}` : `g${nth}${value}`}"`,
  );
  await send(apiUrl, tenant, method, target, { 'content-type': 'application/json' }, own);
}

async function send(
  apiUrl: string,
  { apiKey }: Tenant,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${apiUrl}${path}`, {
    method: method.toUpperCase(),
    headers: { ...headers, authorization: `Bearer ${apiKey}` },
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** The size of all tables, with their indexes. */
async function databaseBytes(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
  );
  return rows[0]?.bytes ?? 0;
}
