import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPostgres, type RunningPostgres } from '@pets/testing/postgres';
import { freePort } from '@pets/testing/processes';
import pg from 'pg';
import { DatabaseMeter, DatabaseTally, meteredPostgres } from '../src/quick/database-meter.js';

const OPERATIONS = 4;

let folder: string;
let postgres: RunningPostgres;
let meter: DatabaseMeter;
let application: pg.Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-meter-'));
  postgres = await startPostgres({ dataDir: folder, port: await freePort(), settings: meteredPostgres });
  meter = await DatabaseMeter.open(postgres.url);
  application = new pg.Client({ connectionString: postgres.url });
  await application.connect();
  await application.query('create table animals (id int primary key, name text)');
});
afterAll(async () => {
  await application.end();
  await meter.close();
  await postgres.destroy();
});

let nextId = 0;

async function countInserts(more: () => Promise<unknown> = () => Promise.resolve()): Promise<Record<string, number>> {
  const tally = new DatabaseTally();
  for (let done = 0; done < OPERATIONS; done++) {
    await meter.during(tally, async () => {
      await application.query('insert into animals values ($1, $2)', [nextId++, 'Rex']);
      await more();
    });
  }
  return Object.fromEntries(tally.counts('insert').map(({ name, value }) => [name, value]));
}

it('counts the statements, transactions, rows and index entries of one operation', async () => {
  expect(await countInserts()).toMatchObject({
    'insert/statements': 1,
    'insert/transactions': 1,
    'insert/rows': 1,
    'insert/index-entries': 1,
  });
});

it('notices another index, also in the write-ahead log', async () => {
  const before = await countInserts();
  await application.query('create index animals_name on animals (name)');
  const after = await countInserts();
  expect(after['insert/index-entries']).toBe(2);
  expect(after['insert/wal-bytes']).toBeGreaterThan((before['insert/wal-bytes'] ?? 0) * 1.2);
  await application.query('drop index animals_name');
});

it('notices another statement', async () => {
  const counts = await countInserts(() => application.query('select count(*) from animals'));
  expect(counts).toMatchObject({ 'insert/statements': 2, 'insert/transactions': 1 });
});

it('does not count what it changes for an operation', async () => {
  const change = () => meter.change([['insert into animals values ($1, $2)', [nextId++, 'Mia']]]);
  expect(await countInserts(change)).toMatchObject({ 'insert/statements': 1, 'insert/rows': 1 });
});

it('counts an operation that is part of another one for both', async () => {
  const [whole, part] = [new DatabaseTally(), new DatabaseTally()];
  await meter.during(whole, async () => {
    await application.query('insert into animals values ($1, $2)', [nextId++, 'Rex']);
    await meter.during(part, () => application.query('insert into animals values ($1, $2)', [nextId++, 'Mia']));
  });
  expect([whole.rows, part.rows]).toEqual([2, 1]);
});
