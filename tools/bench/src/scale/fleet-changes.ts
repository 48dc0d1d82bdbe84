import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { cpuSeconds } from '../engine/processes.js';
import { quantile, type Figure } from '../figure.js';
import { describeTimes } from './edge-alone.js';
import { startFleetFixture, type Fleet, type FleetFixture } from './fleet.js';

const EDGES = 500;
const CHANGES = 60;
const WARM_UP_CHANGES = 10;
const INTERVAL_MS = 300;
/** PostgreSQL counts the transactions of an idle connection at most 10 s later. */
const STATISTICS_MS = 12_000;

interface Cost {
  readonly transactions: number;
  readonly cpuMs: number;
}

/** Removals that a replica waits for, with many edges. The same time without removals is subtracted. */
export async function measureChanges(): Promise<Figure[]> {
  const fixture = await startFleetFixture();
  try {
    const { rows } = await fixture.db.query<{ epoch: string; version: string }>('select epoch, version from edge_feed');
    const { epoch, version } = rows[0] ?? { epoch: '', version: 0 };
    const fleet = fixture.join(EDGES, { epoch, version: Number(version) });
    await fleet.inSync();
    await removeHosts(fixture.db, fleet, WARM_UP_CHANGES);
    const times: number[] = [];
    const idle = await cost(fixture, () => sleep(CHANGES * INTERVAL_MS));
    const busy = await cost(fixture, async () => void times.push(...(await removeHosts(fixture.db, fleet, CHANGES))));
    const transactions = (busy.transactions - idle.transactions) / CHANGES - OWN_TRANSACTIONS;
    const cpuMs = (busy.cpuMs - idle.cpuMs) / CHANGES;
    print(
      `${EDGES} edges, a change: ${transactions.toFixed(1)} transactions, ${cpuMs.toFixed(0)} ms of CPU of pets-api; ` +
        `last acknowledgement ${describeTimes(times)}; ${fleet.aborted.length} sessions aborted`,
    );
    print(
      `without changes: ${(idle.transactions / ((CHANGES * INTERVAL_MS + STATISTICS_MS) / 1_000)).toFixed(1)} transactions a second`,
    );
    return [
      { name: 'scale/change-500-transactions', ratio: transactions, bar: 20, isMaximum: true },
      { name: 'scale/change-500-api-cpu-ms', ratio: cpuMs, bar: 60, isMaximum: true },
      { name: 'scale/change-500-last-ack-p99-ms', ratio: quantile(times, 0.99), bar: 300, isMaximum: true },
    ];
  } finally {
    await fixture.close();
  }
}

/** Transactions of `removeHosts` itself for a change, besides the removal. */
const OWN_TRANSACTIONS = 1;

/** Publishes, then announces that it waits, as pets-api does. @returns the milliseconds to the last acknowledgement of each */
async function removeHosts(db: pg.Client, fleet: Fleet, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let removed = 0; removed < count; removed++) {
    const began = performance.timeOrigin + performance.now();
    const { rows } = await db.query<{ version: string }>(removeNext);
    const version = rows[0]?.version ?? '';
    await db.query(`select pg_notify('edge_ack_waits', $1)`, [version]);
    const ms = (await fleet.stored(Number(version))) - began;
    times.push(ms);
    await sleep(Math.max(INTERVAL_MS - ms, 0));
  }
  return times;
}

const removeNext = `
  with feed as (
    update edge_feed set version = version + 1 returning version
  ), removed as (
    update edge_routes set route = null, version = feed.version from feed
    where host = (select host from edge_routes where route is not null order by host limit 1)
  )
  select version, pg_notify('edge_feed', '') from feed`;

async function cost({ db, api }: FleetFixture, work: () => Promise<unknown>): Promise<Cost> {
  await sleep(STATISTICS_MS);
  const [transactions, cpu] = [await countTransactions(db), cpuSeconds(api.pid)];
  await work();
  const cpuMs = (cpuSeconds(api.pid) - cpu) * 1_000;
  await sleep(STATISTICS_MS);
  return { transactions: (await countTransactions(db)) - transactions, cpuMs };
}

async function countTransactions(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.count);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
