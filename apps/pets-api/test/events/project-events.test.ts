import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from '@pets/persistence';
import type { TestPostgres } from '@pets/testing';
import { sql } from 'kysely';
import { DomainHistoryRepository, type HistoryOf } from '../../src/names/domain-history.repository.js';
import { createEventPartitions } from '../../src/operations/retention/retention-rule.js';
import { startMigratedPostgres } from '../migrated-postgres.js';
import { plansOf, rowsRead } from '../query-plan.js';
import { runRetention } from '../operations/retention-fixture.js';

let postgres: TestPostgres;
let db: Database;
let history: DomainHistoryRepository;
let projectId: string;
let domainIds: string[];

beforeAll(async () => {
  postgres = await startMigratedPostgres();
  db = openDatabase({ url: postgres.url, poolSize: 8, onConnectionError: () => undefined, abortUnresponsive: false });
  history = new DomainHistoryRepository(db);
  await sql`insert into organizations (name, plan) values ('Events', 'pro')`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await postgres.stop();
});
beforeEach(async () => {
  const { rows } = await sql<{ id: string }>`
    insert into projects (organization_id, name, slug) select id, 'P', ${randomUUID()} from organizations
    returning id`.execute(db);
  projectId = rows[0]?.id ?? '';
  const names = ['a', 'b'].map((label) => `${label}-${projectId}.example.com`);
  await sql`insert into domain_claims (organization_id, name, target_token, ownership_token)
    select id, n, n, 't' from organizations, unnest(${names}::text[]) n`.execute(db);
  const added = await sql<{ id: string }>`
    insert into domains (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at)
    select id, ${projectId}, n, '', 'example.com', now(), now() from organizations, unnest(${names}::text[]) n
    returning id`.execute(db);
  domainIds = added.rows.map(({ id }) => id);
});

const line = { type: 'dns.checked', from: null, to: 'awaiting_dns', detail: '', apiKeyId: null } as const;

/** Writes a line of the history. */
async function write(domainId: string, at = new Date()): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select from projects where id = ${projectId} for update`.execute(tx);
    await history.record(tx, { id: domainId, projectId }, { ...line, at });
  });
}

/** The numbers of all lines, page by page. */
async function pagesOf(of: HistoryOf, limit: number): Promise<number[]> {
  const numbers: number[] = [];
  for (let after = 0n, isFull = true; isFull;) {
    const page = await history.list(of, { limit, afterId: String(after) });
    const streamed = 'projectId' in of ? await history.listAfter([{ projectId, after }], limit) : page;
    expect(streamed.map(({ id }) => id)).toEqual(page.map(({ id }) => id));
    numbers.push(...page.map(({ id }) => Number(id)));
    isFull = page.length === limit;
    after = page.at(-1)?.id ?? after;
  }
  return numbers;
}

const countIn = async (table: 'project_events' | 'project_events_rest') => {
  const query = db.selectFrom(table).select(({ fn }) => fn.countAll<bigint>().as('count'));
  return Number((await query.where('project_id', '=', projectId).executeTakeFirstOrThrow()).count);
};
const partitions = async () => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname ~ '^project_events_[0-9]{4}_[0-9]{2}$' order by 1`.execute(db);
  return rows.map(({ name }) => name);
};
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

describe('pages of the history', () => {
  it.each([1, 2, 3, 4])('are the same wherever the lines are (%d)', async (seed) => {
    let state = seed;
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    const expected: [number[], number[]] = [[], []];
    for (let number = 1; number <= 60; number++) {
      const index = random(2) === 0 ? 0 : 1;
      // Also times that have no partition, and out of order.
      const at = inDays(random(1_200) - 600);
      await write(domainIds[index] ?? '', at);
      expected[index].push(number);
    }
    const outside = await countIn('project_events_rest');
    expect([outside, (await countIn('project_events')) - outside].every((count) => count > 5)).toBe(true);
    const all = Array.from({ length: 60 }, (_, index) => index + 1);
    for (const limit of [1, 7, 20, 60, 100]) {
      expect(await pagesOf({ projectId }, limit)).toEqual(all);
      for (const index of [0, 1] as const)
        expect(await pagesOf({ domainId: domainIds[index] ?? '' }, limit)).toEqual(expected[index]);
    }
  });

  it('have each line once and without a gap, while several write', async () => {
    const [id = ''] = domainIds;
    await Promise.all(Array.from({ length: 60 }, () => write(id)));
    expect(await pagesOf({ projectId }, 25)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  it('read an index of each part, and no more lines than the page has', async () => {
    const [id = ''] = domainIds;
    await sql`insert into project_events (project_id, number, domain_id, type, to_state, detail, at)
      select ${projectId}, n, ${id}, 'x', 'awaiting_dns', '', now() + make_interval(days => n % 180)
      from generate_series(1, 20000) n`.execute(db);
    await sql.raw('vacuum analyze project_events').execute(db);
    for (const owner of [{ projectId }, { domainId: id }]) {
      const recorder = (tx: Database) => new DomainHistoryRepository(tx).list(owner, { limit: 50, afterId: '9980' });
      const [scans = []] = await plansOf(db, recorder);
      expect(scans.filter((scan) => scan['Index Name'] !== undefined).length).toBeGreaterThanOrEqual(3);
      for (const scan of scans) expect([scan, rowsRead(scan) <= 51]).toEqual([scan, true]);
    }
  });
});

describe('partitions', () => {
  it('are created ahead, and the lines of a quarter without one are kept and deleted all the same', async () => {
    const before = await partitions();
    expect(before).toHaveLength(3);
    await sql`delete from project_events_rest`.execute(db);
    // Nobody has created any for long.
    for (const name of before) await sql`drop table ${sql.table(name)}`.execute(db);
    await write(domainIds[0] ?? '');
    expect(await countIn('project_events_rest')).toBe(1);
    await createEventPartitions(db);
    expect(await partitions()).toEqual(before.slice(1));
    await write(domainIds[0] ?? '', inDays(100));
    await write(domainIds[0] ?? '', inDays(-1_000));
    expect(await countIn('project_events_rest')).toBe(2);
    expect(await pagesOf({ projectId }, 2)).toEqual([1, 2, 3]);

    await runRetention(db, { days: 399 });
    expect(await pagesOf({ projectId }, 2)).toEqual([1, 2]);
    expect(await partitions()).toEqual(before.slice(1));
    expect(await runRetention(db, { days: 401 })).toMatchObject({ project_events: 1 });
    expect(await pagesOf({ projectId }, 2)).toEqual([2]);
    await runRetention(db, { days: 100 + 92 + 401 });
    expect(await pagesOf({ projectId }, 2)).toEqual([]);
  });

  it('are not dropped while somebody reads them, who is not kept waiting, but at the next try', async () => {
    await createEventPartitions(db);
    await sql`delete from project_events_rest`.execute(db);
    await write(domainIds[0] ?? '');
    const reader = await db.startTransaction().execute();
    await sql`select count(*) from project_events`.execute(reader);
    await runRetention(db, { days: 700 });
    expect(await pagesOf({ projectId }, 2)).toEqual([1]);
    await reader.rollback().execute();
    await runRetention(db, { days: 700 });
    expect(await pagesOf({ projectId }, 2)).toEqual([]);
  });
});
