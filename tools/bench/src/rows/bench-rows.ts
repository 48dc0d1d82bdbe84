import { type Stack, startStack, verifyDomains } from '@pets/lab';
import { openDatabase } from '@pets/persistence';
import { waitUntil } from '@pets/testing/processes';
import pg from 'pg';
import type { Figure } from '../figure.js';
import { type rowsParts, rowsSettings } from '../settings.js';
import { fill, fillProjects, idOf, makeDue, type RowsGround } from './fill.js';
import {
  loadModules,
  measuredClaim,
  measuredDiscovery,
  type MeasuredStatement,
  measuredStatements,
  type Sample,
  timeStatement,
} from './statements.js';

/**
 * Measures what grows with the database: statements of pets-api with a million domains, and with a tenth of them. Times are
 * medians in milliseconds, so other load on the machine counts.
 */

/** The most that a statement may take with all rows, as a multiple of its time with a tenth. */
const FLAT = 1.5;
/** Below this the round trip is what is measured. */
const ROUND_TRIP_MS = 0.3;
/** The throughput with all rows, as a share of that without. */
const MUCH_OF_EMPTY = 0.9;
/** Due at the moment of a claim. */
const DUE_ROWS = 20_000;

export async function benchRows(): Promise<readonly Figure[]> {
  print('the limits are absolute, so other load on the machine counts');
  const stack = await startStack({ onLine: warn });
  const client = new pg.Client({ connectionString: stack.postgres.url });
  await client.connect();
  const db = openDatabase({ url: stack.postgres.url, onConnectionError: () => undefined, abortUnresponsive: false });
  try {
    return await measureAll({ stack, client, db });
  } finally {
    await db.destroy();
    await client.end();
    await stack.close();
  }
}

async function measureAll(ground: RowsGround): Promise<readonly Figure[]> {
  const { BENCH_ROWS: rows, BENCH_ROWS_PARTS: wanted } = rowsSettings;
  const isWanted = (part: (typeof rowsParts)[number]) => wanted.includes(part);
  const figures: Figure[] = [];
  const few = Math.round(rows / 10);
  // Its first start records which key-encryption key is in use; the keys of the fill cannot be opened.
  await (await ground.stack.startApi()).stop();
  const alone = isWanted('throughput') ? await measureThroughput(ground.stack, 'empty', 1) : Number.NaN;
  await fillTo(ground, { from: 1, to: few });
  await fillProjects(ground.client);
  const before = isWanted('statements') ? await timeAll(ground) : new Map<string, number>();
  await fillTo(ground, { from: few + 1, to: rows });
  if (isWanted('statements')) figures.push(...figuresOf(await timeAll(ground), before, await statementsOf(ground)));
  if (isWanted('checks')) figures.push(...(await measureChecks(ground)));
  if (isWanted('long-transaction')) figures.push(...(await measureLongTransaction(ground)));
  if (isWanted('throughput')) {
    const one = await measureThroughput(ground.stack, 'full', 1);
    const two = await measureThroughput(ground.stack, 'both', 2);
    figures.push({ name: 'rows/throughput-of-empty', ratio: one / alone, bar: MUCH_OF_EMPTY });
    figures.push({ name: 'rows/throughput-two-workers', ratio: two / one, bar: 0 });
  }
  return figures;
}

async function fillTo({ client }: RowsGround, range: { from: number; to: number }): Promise<void> {
  const began = performance.now();
  await fill(client, range);
  print(`${range.to} domains after ${((performance.now() - began) / 1_000).toFixed(0)} s`);
}

async function timeAll(ground: RowsGround): Promise<Map<string, number>> {
  await makeDue(ground.client, DUE_ROWS);
  await ground.client.query('vacuum analyze domain_work');
  const times = new Map<string, number>();
  for (const statement of await statementsOf(ground)) {
    const ms = await timeStatement(ground.db, statement);
    times.set(statement.name, ms);
    print(`${statement.name} ${ms.toFixed(2)} ms`);
  }
  return times;
}

async function statementsOf({ client, db }: RowsGround): Promise<readonly MeasuredStatement[]> {
  const { rows } = await client.query<Sample>(`
    select ${idOf('project', '7')} as "projectId",
      array(select ${idOf('domain', 'n * 211')} from generate_series(1, 128) n) as "domainIds",
      (select ${oneOf('large')}) as large, (select ${oneOf('crowded')}) as crowded`);
  const [sample] = rows;
  if (sample === undefined) throw new Error('a select without a row');
  return measuredStatements(db, sample);
}

/** A project of its own, and one of its names. */
function oneOf(project: string): string {
  return `jsonb_build_object('id', project_id, 'name', name) from domains
    where project_id = ${idOf('project', `'${project}'`)} and state = 'live' limit 1`;
}

function figuresOf(
  times: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
  statements: readonly MeasuredStatement[],
): Figure[] {
  return statements.flatMap(({ name, limitMs, isFlat }): Figure[] => {
    const [ms, fewMs] = [times.get(name) ?? Number.NaN, before.get(name) ?? Number.NaN];
    const growth = Math.max(ms, ROUND_TRIP_MS) / Math.max(fewMs, ROUND_TRIP_MS);
    return [
      { name: `rows/${name}-ms`, ratio: ms, bar: limitMs ?? 0, isMaximum: true },
      { name: `rows/${name}-growth`, ratio: growth, bar: isFlat ? FLAT : 0, isMaximum: true },
    ];
  });
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Rows done while the snapshot is open: their old versions cannot be removed. */
const DONE = 300_000;
/** Due when the claim is measured. */
const DUE = 1_000;

/** A claim while another transaction holds a snapshot for a long time, as `pg_dump` does. */
async function measureLongTransaction({ client, db, stack }: RowsGround): Promise<readonly Figure[]> {
  await makeDue(client, DONE);
  await client.query('vacuum analyze domain_work');
  const dump = new pg.Client({ connectionString: stack.postgres.url });
  await dump.connect();
  try {
    await dump.query('begin isolation level repeatable read');
    await dump.query('select count(*) from organizations');
    await client.query(`update domain_work set due_at = now() + interval '1 hour' where due_at <= now()`);
    await makeDue(client, DUE);
    const modules = await loadModules();
    const claim = await measuredClaim(db, modules);
    const claimMs = await timeStatement(db, claim);
    const discovery = measuredDiscovery(modules);
    const discoveryMs = await timeStatement(db, discovery);
    const note = `${claim.name} ${claimMs.toFixed(1)} ms, ${discovery.name} ${discoveryMs.toFixed(1)} ms`;
    process.stdout.write(`after ${DONE} done beside a snapshot: ${note}\n`);
    return [
      { name: `rows/${claim.name}-beside-a-dump-ms`, ratio: claimMs, bar: claim.limitMs, isMaximum: true },
      { name: `rows/${discovery.name}-beside-a-dump-ms`, ratio: discoveryMs, bar: 0, isMaximum: true },
    ];
  } finally {
    await dump.end();
  }
}

const WARM_UP = 500;
const DOMAINS = 20_000;

/** Domains that the engine verifies in a second, besides all rows that are there. */
async function measureThroughput(stack: Stack, round: string, workers: number): Promise<number> {
  const processes = [await stack.startApi()];
  try {
    for (let started = 0; started < workers; started++) processes.push(await stack.startWorker());
    await verifyDomains(stack, `${round}w`, WARM_UP);
    const rate = (DOMAINS * 1_000) / (await verifyDomains(stack, round, DOMAINS));
    process.stdout.write(`${round}: ${rate.toFixed(0)} domains/s, workers: ${workers}\n`);
    return rate;
  } finally {
    await Promise.all(processes.map((each) => each.stop()));
  }
}

/** Some five minutes of checks with a million domains: from one checkpoint to the next. */
const CHECKS = 10_000;
const LIMIT_MS = 600_000;
const KB = 1_024;
const MOST_KB = 1.5;
const MOST_KB_WITH_PAGES = 12;

/**
 * The write-ahead log of a check of a live domain that finds nothing new, by pets-api and a worker. Pages are compressed
 * with pglz, since the PostgreSQL of npm has no lz4, which compresses about as well.
 */
async function measureChecks({ stack, client }: RowsGround): Promise<readonly Figure[]> {
  for (const setting of [`wal_compression = 'pglz'`, 'autovacuum = off'])
    await client.query(`alter system set ${setting}`);
  await client.query('select pg_reload_conf()');
  const processes = [await stack.startApi(), await stack.startWorker()];
  try {
    await check(client, CHECKS); // what was never checked is new
    const figure = async (name: string, pages: 'on' | 'off', bar: number): Promise<Figure> => {
      await client.query(`alter system set full_page_writes = ${pages}`);
      await client.query('select pg_reload_conf()');
      const bytes = await check(client, CHECKS);
      process.stdout.write(`${CHECKS} checks, full_page_writes ${pages}: ${(bytes / CHECKS).toFixed(0)} bytes each\n`);
      return { name: `rows/${name}-kb`, ratio: bytes / CHECKS / KB, bar, isMaximum: true };
    };
    return [await figure('wal-check', 'off', MOST_KB), await figure('wal-check-with-pages', 'on', MOST_KB_WITH_PAGES)];
  } finally {
    await Promise.all(processes.map((each) => each.stop()));
    await client.query('alter system reset all');
    await client.query('select pg_reload_conf()');
  }
}

/** Makes domains due, the same ones each time, and waits for their checks. @returns bytes of write-ahead log */
async function check(client: pg.Client, count: number): Promise<number> {
  const due = `kind = 'dns' and domain_id in (select id from domains where state = 'live' order by id limit ${count})`;
  await client.query(`update domain_work set due_at = now() where ${due}`);
  await client.query('checkpoint');
  const lsn = async () =>
    (await client.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn')).rows[0]?.lsn ?? '';
  const began = await lsn();
  await client.query(`select pg_notify('domain_work', '')`);
  const left = `select from domain_work where due_at <= now() and ${due} limit 1`;
  await waitUntil(async () => (await client.query(left)).rowCount === 0, {
    ...{ timeoutMs: LIMIT_MS, message: `${count} checks`, intervalMs: 500 },
  });
  const { rows } = await client.query<{ bytes: string }>('select pg_current_wal_lsn() - $1::pg_lsn as bytes', [began]);
  return Number(rows[0]?.bytes);
}
