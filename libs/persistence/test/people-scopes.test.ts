import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { scratchDatabase, startTestPostgres, type TestPostgres } from '@pets/testing';
import { sql } from 'kysely';
import { applyMigrations } from '../src/apply-migrations.js';
import { openDatabase, type Database } from '../src/index.js';
import { migrations } from '../src/migrate.js';
import * as peopleScopes from '../src/migrations/0085-people-scopes.js';

const STEP = '0085-people-scopes';
const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < STEP));

let postgres: TestPostgres;
let db: Database;
beforeAll(async () => {
  postgres = await startTestPostgres();
  const { url } = await scratchDatabase(postgres.url);
  db = openDatabase({ url, abortUnresponsive: false, onConnectionError: () => undefined });
  await applyMigrations(db, before);
  await sql`insert into organizations (name, plan) values ('Acme', 'pro')`.execute(db);
});
afterAll(async () => {
  await db?.destroy();
  await postgres?.stop();
});

const former = [
  ...['pets:read', 'pets:write', 'orders:read', 'orders:write', 'domains:read', 'domains:write', 'projects:read'],
  ...['projects:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'audit:read'],
];

const insert = (name: string, scopes: readonly string[], { count = 1, isPerson = false } = {}) =>
  sql`insert into api_keys (organization_id, name, hash, display, scopes, is_person)
    select o.id, ${name}, sha256((${name} || n)::bytea), 'x', ${scopes}, ${isPerson}
    from organizations o, generate_series(1, ${count}::integer) n`.execute(db);

it('gives all keys that had every scope those for people, page by page, and no others', async () => {
  await insert('every scope', former, { count: 2_500 });
  await insert('few scopes', former.slice(1), { count: 2_500 });
  await insert('scopes of an admin', [...former, 'people:read', 'people:write']);
  await insert('admin', [...former, 'people:read', 'people:write'], { isPerson: true });
  for (let time = 0; time < 2; time += 1) {
    await sql`delete from kysely_migration where name >= ${STEP}`.execute(db);
    await applyMigrations(db, { ...before, [STEP]: peopleScopes });
  }
  const { rows } = await sql<{ name: string; added: number; count: number }>`
    select name, cardinality(scopes) - ${former.length}::integer as added, count(*)::integer as count
    from api_keys group by 1, 2 order by 1`.execute(db);
  expect(rows).toEqual([
    { name: 'admin', added: 2, count: 1 },
    { name: 'every scope', added: 3, count: 2_500 },
    { name: 'few scopes', added: -1, count: 2_500 },
    { name: 'scopes of an admin', added: 2, count: 1 },
  ]);
});
