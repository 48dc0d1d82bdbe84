import { waitUntil, type RunningChild } from '@pets/dev-stack';
import type pg from 'pg';
import { startApi, startWorker, type EngineFixture } from '../engine/engine-fixture.js';
import { verifyDomains } from '../engine/seeded-domains.js';
import type { Figure } from '../figure.js';
import type { RowsGround } from './fill.js';

const WARM_UP = 500;
const DOMAINS = 20_000;

/** Domains that the engine verifies in a second, besides all rows that are there. */
export async function measureThroughput(fixture: EngineFixture, round: string, workers: number): Promise<number> {
  const { api, worker } = fixture.environment();
  const processes: { readonly child: RunningChild }[] = [await startApi(api, warn)];
  try {
    for (let started = 0; started < workers; started++) processes.push(await startWorker(worker, warn));
    await verifyDomains(fixture, `${round}w`, WARM_UP);
    const rate = (DOMAINS * 1_000) / (await verifyDomains(fixture, round, DOMAINS));
    process.stdout.write(`${round}: ${rate.toFixed(0)} domains/s, workers: ${workers}\n`);
    return rate;
  } finally {
    await Promise.all(processes.map(({ child }) => child.stop()));
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
export async function measureChecks({ fixture, client }: RowsGround): Promise<readonly Figure[]> {
  for (const setting of [`wal_compression = 'pglz'`, 'autovacuum = off'])
    await client.query(`alter system set ${setting}`);
  await client.query('select pg_reload_conf()');
  const { api, worker } = fixture.environment();
  const processes = [await startApi(api, warn), await startWorker(worker, warn)];
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
    await Promise.all(processes.map(({ child }) => child.stop()));
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

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}
