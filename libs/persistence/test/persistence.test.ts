import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '@pets/platform';
import { scratchDatabase, startTestPostgres, waitUntil, type TestPostgres } from '@pets/testing';
import {
  inTransaction,
  isDatabaseCurrent,
  migrateDatabase,
  notify,
  NotificationListener,
  openDatabase,
  violatesUnique,
  type Database,
} from '../src/index.js';

let postgres: TestPostgres;
let db: Database;
const broken: Error[] = [];
const onConnectionError = (error: Error) => void broken.push(error);
const killOthers = (from: Database) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
    from,
  );

beforeAll(async () => {
  postgres = await startTestPostgres();
  db = openDatabase({ url: postgres.url, onConnectionError });
  await migrateDatabase(db);
});
afterAll(async () => {
  await db.destroy();
  await postgres.stop();
});

describe('migrations', () => {
  it('are applied once', async () => {
    expect(await migrateDatabase(db)).toEqual([]);
    expect(await isDatabaseCurrent(db)).toBe(true);
  });

  it('may be started by several at once', async () => {
    const scratch = await scratchDatabase(postgres.url);
    const both = [0, 1].map(() => openDatabase({ url: scratch.url, onConnectionError }));
    const applied = await Promise.all(both.map((each) => migrateDatabase(each)));
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
    expect(applied.flat().sort()).toEqual(rows.map(({ name }) => name));
    await Promise.all(both.map((each) => each.destroy()));
    await scratch.drop();
  });

  it('refuse a database of a version before 1.0, and change nothing in it', async () => {
    const scratch = await scratchDatabase(postgres.url);
    const old = openDatabase({ url: scratch.url, onConnectionError });
    await sql`create table kysely_migration (name text primary key, timestamp text not null)`.execute(old);
    await sql`insert into kysely_migration values ('0001-initial', ''), ('0002-orders', '')`.execute(old);
    await sql`create table pets (name text)`.execute(old);
    await expect(migrateDatabase(old)).rejects.toThrow(
      /^the database \S+ was made by a version before 1\.0, which is not migrated: keep it .* DATABASE_URL$/,
    );
    const { rows } =
      await sql`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      order by 1`.execute(old);
    expect(rows).toEqual([{ relname: 'kysely_migration' }, { relname: 'pets' }]);
    await old.destroy();
    await scratch.drop();
  });

  it('that are missing differ from a database that does not answer', async () => {
    const scratch = await scratchDatabase(postgres.url);
    const empty = openDatabase({ url: scratch.url, onConnectionError });
    await expect(isDatabaseCurrent(empty)).rejects.toThrow('kysely_migration');
    await empty.destroy();
    await scratch.drop();
  });
});

describe('the pool', () => {
  it('reads int8 to the last digit', async () => {
    const { rows } = await sql<{ n: bigint }>`select 9223372036854775807::int8 as n`.execute(db);
    expect(rows[0]?.n).toBe(9_223_372_036_854_775_807n);
  });

  it('survives a connection that is killed in a transaction', async () => {
    const killer = openDatabase({ url: postgres.url, poolSize: 1, onConnectionError });
    const torn = db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx);
      await killOthers(killer);
      await sql`select 1`.execute(tx);
    });
    await expect(torn).rejects.toBeInstanceOf(DependencyUnavailable);
    expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    await killer.destroy();
  });

  it('fails without waiting when there is no server', async () => {
    const nowhere = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', onConnectionError });
    const failure: unknown = await sql`select 1`.execute(nowhere).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DependencyUnavailable);
    expect(failure).toMatchObject({ message: 'PostgreSQL is unavailable: connect ECONNREFUSED 127.0.0.1:1' });
    await nowhere.destroy();
  });

  it('throws the errors of a statement as they are', async () => {
    await expect(sql`select 1 / 0`.execute(db)).rejects.toMatchObject({ code: '22012' });
    await expect(sql`select ${{ n: 1n }}::jsonb`.execute(db)).rejects.toBeInstanceOf(TypeError);
  });

  it('names the unique index that a row violates', async () => {
    const { id } = await db
      .insertInto('organizations')
      .values({ name: 'A', plan: 'pro' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const insert = () => db.insertInto('projects').values({ organization_id: id, name: 'P', slug: 'same' }).execute();
    await insert();
    const error: unknown = await insert().catch((thrown: unknown) => thrown);
    expect(violatesUnique(error, 'projects_slug_unique')).toBe(true);
    expect(violatesUnique(error, 'another')).toBe(false);
  });
});

describe('work in a transaction', () => {
  const insert = (on: Database, name: string) => on.insertInto('organizations').values({ name, plan: 'pro' }).execute();
  const namesLike = async (pattern: string) => {
    const rows = await db.selectFrom('organizations').select('name').where('name', 'like', pattern).execute();
    return rows.map(({ name }) => name);
  };

  it('is atomic: a failure leaves nothing', async () => {
    const failing = inTransaction(db, async (tx) => {
      await insert(tx, 'half');
      throw new Error('the other half');
    });
    await expect(failing).rejects.toThrow('the other half');
    expect(await inTransaction(db, async (tx) => insert(tx, 'whole').then(() => 'done'))).toBe('done');
    expect(await namesLike('half')).toEqual([]);
    expect(await namesLike('whole')).toEqual(['whole']);
  });

  it('is part of the given transaction', async () => {
    const outer = db.transaction().execute(async (tx) => {
      await inTransaction(tx, async (inner) => insert(inner, 'inner'));
      expect(await namesLike('inner')).toEqual([]);
      throw new Error('after all not');
    });
    await expect(outer).rejects.toThrow('after all not');
    expect(await namesLike('inner')).toEqual([]);
  });
});

describe('notifications', () => {
  it('wake listeners after the commit, and again after the connection was killed', async () => {
    const listener = new NotificationListener(postgres.url, onConnectionError);
    await listener.open();
    let wakeUps = 0;
    listener.on('edge_feed', () => wakeUps++);
    await db.transaction().execute(async (tx) => {
      await notify(tx, 'edge_feed');
      await sql`select pg_sleep(0.05)`.execute(tx);
      expect(wakeUps).toBe(0);
    });
    await waitUntil(() => wakeUps === 1, { message: 'the first wake-up' });

    await killOthers(db);
    // A new connection wakes every listener once, since notifications may have been lost.
    await waitUntil(() => wakeUps === 2, { message: 'the listener to be back' });
    await notify(db, 'edge_feed');
    await waitUntil(() => wakeUps === 3, { message: 'the next wake-up' });
    await listener.close();
  });

  it('are not sent by transactions, whose commits would wait for each other, nor for those rolled back', async () => {
    const listener = new NotificationListener(postgres.url, onConnectionError);
    await listener.open();
    const payloads: string[] = [];
    listener.on('domain_work', (payload) => payloads.push(payload));
    const rolledBack = db.transaction().execute(async (tx) => {
      await sql`select 1 / 0`.execute(tx).catch(() => undefined);
      // PostgreSQL would refuse a statement here.
      await notify(tx, 'domain_work', 'rolled back');
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    const committed = db.transaction().setIsolationLevel('read committed');
    await committed.execute(async (tx) => {
      for (const payload of ['sent', 'sent', 'sent too']) await notify(tx, 'domain_work', payload);
    });
    await notify(db, 'domain_work', 'last');
    await waitUntil(() => payloads.includes('last'), { message: 'the last notification' });
    await waitUntil(() => payloads.includes('sent too'), { message: 'the notification of the transaction' });
    expect(payloads.toSorted()).toEqual(['last', 'sent', 'sent too']);
    await listener.close();
  });

  it('are waited for with a limit, and not at all once aborted', async () => {
    const listener = new NotificationListener(postgres.url, onConnectionError);
    await listener.next('edge_acks', 10);
    await listener.next('edge_acks', 60_000, AbortSignal.abort());
    await listener.close();
  });
});

describe('a domain name', () => {
  it('has one verified or live holder, also with concurrent requests', async () => {
    const rows = await Promise.all(
      [0, 1, 2, 3].map(async (n) => {
        const { id: organization } = await db
          .insertInto('organizations')
          .values({ name: `O${n}`, plan: 'pro' })
          .returning('id')
          .executeTakeFirstOrThrow();
        const { id: project } = await db
          .insertInto('projects')
          .values({ organization_id: organization, name: 'P', slug: `holder-${n}` })
          .returning('id')
          .executeTakeFirstOrThrow();
        await db
          .insertInto('domain_claims')
          .values({
            organization_id: organization,
            name: 'one.example.com',
            target_token: `t${n}`,
            ownership_token: 'o',
          })
          .execute();
        const now = new Date();
        const domain = {
          organization_id: organization,
          project_id: project,
          name: 'one.example.com',
          unicode_name: 'x',
          apex_name: 'x',
          generation_began_at: now,
          requested_at: now,
        };
        return db.insertInto('domains').values(domain).returning('id').executeTakeFirstOrThrow();
      }),
    );
    const wins = await Promise.allSettled(
      rows.map(({ id }) => db.updateTable('domains').set({ state: 'verified' }).where('id', '=', id).execute()),
    );
    expect(wins.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const lost = wins.flatMap((win) => (win.status === 'rejected' ? [win.reason as unknown] : []));
    expect(lost.every((error) => violatesUnique(error, 'domains_one_holder'))).toBe(true);
  });
});
