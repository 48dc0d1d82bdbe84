import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import {
  DatabaseBytesRepository,
  organizationOfColumn,
  organizationTables,
  sampleStatement,
} from '../../src/operations/retention/database-bytes.repository.js';
import { retentionRules } from '../../src/operations/retention/retention-rules.js';
import type { TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';
import { retentionDefaults } from '../operations/retention-fixture.js';

let api: TestApi;
beforeAll(async () => {
  api = await shareTestApi();
});
afterAll(() => api.close());

const inTables = Object.entries(organizationTables);

it('every table with rows of an organization has an end and a bound', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped and a.attname = any(${Object.keys(organizationOfColumn)}::text[])
    order by 1`.execute(api.db);
  expect(rows.map(({ name }) => name)).toEqual(inTables.map(([name]) => name).toSorted());
});

it('every table without such a column is known to be one of the service', async () => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`.execute(api.db);
  const others = rows.map(({ name }) => name).filter((name) => !(name in organizationTables));
  expect(others).toEqual([
    'acme_accounts',
    'blocked_names',
    'ca_pauses',
    'edge_feed',
    'edge_snapshots',
    'edges',
    'key_checks',
    'kysely_migration',
    'kysely_migration_lock',
    'last_backup',
    'limited_domains',
    'organizations',
    'plan_limits',
    'platform_certificate_orders',
    'platform_certificates',
    'public_addresses',
    'retention_tasks',
    'shared_readings',
    'stored_objects',
    'unused_key_positions',
  ]);
});

it('a table whose rows end by age has a rule of retention, and no other has one', () => {
  const ruled = retentionRules(retentionDefaults).flatMap(({ table }) => (table in organizationTables ? [table] : []));
  const ended = inTables.filter(([, { ends }]) => ends === 'age').map(([name]) => name);
  expect(ruled.toSorted()).toEqual(ended.toSorted());
});

it('the bytes of every table can be estimated, also by a sample', async () => {
  for (const table of await new DatabaseBytesRepository(api.db).listTables()) {
    for (const bytes of [table.bytes, 2e11]) {
      const statement = sampleStatement({ ...table, bytes });
      expect([table.name, statement]).toEqual([table.name, expect.any(String)]);
      await sql.raw(statement ?? '').execute(api.db);
    }
  }
});
