/**
 * Migrations that were released stay as they are, by checksum; each later one lets the version before it go on. When a
 * version is released, the checksums of its migrations go into `released-migrations.json`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scratchDatabase, startTestPostgres, type ScratchDatabase, type TestPostgres } from '@pets/testing';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { applyMigrations, migrations, type SchemaMigration } from '../src/migrate.js';
import { openDatabase, type Database } from '../src/index.js';
import { findMigrationFaults } from '../src/migration-rules.js';

const FOLDER = join(import.meta.dirname, '../src/migrations');
const released = JSON.parse(readFileSync(join(import.meta.dirname, 'released-migrations.json'), 'utf8')) as Readonly<
  Record<string, string>
>; // ours: name → SHA-256 of its file

describe('the migrations', () => {
  it('are the files of their folder, in order', () => {
    const files = readdirSync(FOLDER).flatMap((file) => /^(\d.*)\.ts$/.exec(file)?.[1] ?? []);
    expect(Object.keys(migrations)).toEqual(files.sort());
  });

  it('do not change after their release', () => {
    const checksums = Object.keys(released).map((name) => [name, checksumOf(name)]);
    expect(Object.fromEntries(checksums)).toEqual(released);
  });

  const later = Object.keys(migrations).filter((name) => released[name] === undefined);
  it.each(later)('lets the previous version run: %s', async (name) => {
    const migration = migrations[name];
    if (migration === undefined) throw new Error(`there is no ${name}`);
    const { contracts, isConcurrent = false } = migration;
    const statements = await statementsOf(migration);
    expect(statements).not.toEqual([]);
    expect(findMigrationFaults({ statements, isConcurrent, isContract: contracts !== undefined })).toEqual([]);
  });
});

describe('the baseline', () => {
  it('makes partitions from the date of its day, so that no line of history lies in the rest', async () => {
    const postgres = await startTestPostgres();
    const scratch = await scratchDatabase(postgres.url);
    const ahead = new URL(scratch.url);
    ahead.searchParams.set('options', '-c search_path=ahead,public,pg_catalog');
    const open = (url: string) => openDatabase({ url, abortUnresponsive: false, onConnectionError: () => undefined });
    const [plain, later] = [open(scratch.url), open(ahead.href)];
    try {
      await sql`create schema ahead`.execute(plain);
      await sql`create function ahead.now() returns timestamptz language sql stable
        as $$ select pg_catalog.now() + interval '2 years' $$`.execute(plain);
      await applyMigrations(later, migrations);
      await sql`insert into project_events (project_id, number, domain_id, type, to_state, detail, at)
        values (gen_random_uuid(), 1, gen_random_uuid(), 'domain.added', 'awaiting_dns', '', now())`.execute(later);
      const { rows } = await sql`select tableoid::regclass::text as partition, at from project_events`.execute(later);
      const year = new Date().getUTCFullYear() + 2;
      expect(rows).toEqual([{ partition: expect.stringContaining(`project_events_${year}_`), at: expect.any(Date) }]);
    } finally {
      await Promise.all([plain.destroy(), later.destroy()]);
      await postgres.stop();
    }
  });
});

describe('a migration that is applied', () => {
  let postgres: TestPostgres;
  let scratch: ScratchDatabase;
  let db: Database;
  const open = () => openDatabase({ url: scratch.url, abortUnresponsive: false, onConnectionError: () => undefined });
  const limits = { lockMs: 100, statementMs: 1_000, retries: 20, retryMs: 50 };
  const step = (...statements: string[]): SchemaMigration => ({
    up: async (on) => {
      for (const statement of statements) await sql.raw(statement).execute(on);
    },
  });
  const first = step('create table animals (name text)');

  beforeAll(async () => {
    postgres = await startTestPostgres();
    scratch = await scratchDatabase(postgres.url);
    db = open();
    await applyMigrations(db, { '1': first }, limits);
  });
  afterAll(async () => {
    await db?.destroy();
    await postgres?.stop();
  });

  it('retries while it gets no lock, without blocking other requests', async () => {
    const others = open();
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    const { promise: reads, resolve: begun } = Promise.withResolvers<void>();
    const reading = others.transaction().execute(async (tx) => {
      await sql`select * from animals`.execute(tx);
      begun();
      await done;
    });
    await reads;
    const steps = { '1': first, '2': step('alter table animals add column color text') };
    const applying = applyMigrations(db, steps, limits);
    // Behind a statement that waits without a limit, these would wait too.
    for (let i = 0; i < 10; i++) await sql`select * from animals`.execute(others);
    await expect(applyMigrations(db, steps, { ...limits, retries: 0 })).rejects.toThrow('migration 2 failed');
    end();
    await reading;
    expect(await applying).toEqual(['2']);
    await others.destroy();
  });

  it('fails when a statement takes too long, and leaves nothing behind', async () => {
    const steps = { '1': first, '2': step(), '3': step('create table half (id int)', 'select pg_sleep(5)') };
    await expect(applyMigrations(db, steps, limits)).rejects.toMatchObject({
      cause: { message: 'canceling statement due to statement timeout' },
    });
    const { rows } = await sql<{ half: string | null }>`select to_regclass('half')::text as half`.execute(db);
    expect(rows).toEqual([{ half: null }]);
  });

  it('builds an index outside a transaction', async () => {
    const concurrent = step(
      'drop index concurrently if exists by_name',
      'create index concurrently by_name on animals (name)',
    );
    const steps = { '1': first, '2': step(), '3': { ...concurrent, isConcurrent: true as const } };
    expect(await applyMigrations(db, steps, limits)).toEqual(['3']);
    const { rows } = await sql<{ valid: boolean }>`
      select indisvalid as valid from pg_index where indexrelid = 'by_name'::regclass`.execute(db);
    expect(rows).toEqual([{ valid: true }]);
  });
});

/** Checksum of the file of a migration, and of the files in the folder with its parts. */
function checksumOf(name: string): string {
  const hash = createHash('sha256').update(readFileSync(join(FOLDER, `${name}.ts`)));
  const parts = join(FOLDER, name.replace(/^\d+-/, ''));
  if (existsSync(parts)) for (const part of readdirSync(parts).sort()) hash.update(readFileSync(join(parts, part)));
  return hash.digest('hex');
}

/** The statements of a migration, sent to no database. */
async function statementsOf(migration: SchemaMigration): Promise<string[]> {
  const statements: string[] = [];
  const nowhere = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql),
  });
  await migration.up(nowhere);
  await nowhere.destroy();
  return statements;
}
