import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { oldImports, type Batch } from '../../src/operations/retention/retention-rule.js';
import { startTestApi, type TestApi } from '../harness.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const IMPORTS = 3;
const PIECES = 1_000;
const LIMIT = 100;

it('imports are deleted by batches of their pieces', async () => {
  const { organizationId, key } = await api.createOrganization('free');
  const { id } = (await api.request<{ id: string }>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'old' } }))
    .body;
  await sql`
    with old as (
      insert into domain_imports
        (organization_id, project_id, action, format, state, api_key_id, requester, due_at, ended_at)
      select ${organizationId}, ${id}, 'remove', 'csv', 'finished', gen_random_uuid(), '{}', now(), now() - interval '1 day'
      from generate_series(1, ${IMPORTS}) returning id
    )
    insert into domain_import_pieces (import_id, number, lines)
    select old.id, n, '[]' from old, generate_series(1, ${PIECES}) n`.execute(api.db);
  const count = async (table: string) =>
    (await sql<{ count: number }>`select count(*)::integer as count from ${sql.table(table)}`.execute(api.db)).rows[0]
      ?.count ?? 0;
  const before = new Date();
  let left = IMPORTS * PIECES;
  for (let after: string | null = ''; after !== null;) {
    const batch: Batch = { before, after, limit: LIMIT };
    ({ next: after } = await api.db.transaction().execute((tx) => oldImports.clear(tx, batch)));
    const now = await count('domain_import_pieces');
    expect(left - now).toBeLessThanOrEqual(LIMIT + 1);
    left = now;
  }
  expect([left, await count('domain_imports')]).toEqual([0, 0]);
});
