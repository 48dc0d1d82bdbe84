import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startStack, type Stack } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import pg from 'pg';
import { routeOf } from '../edge/feed-fixture.js';
import { cpuSeconds } from '../engine/processes.js';
import { quantile, type Figure } from '../figure.js';
import { FLEET_NAMES } from '../settings.js';
import { describeTimes } from './edge-alone.js';

/** The instructions for `fleet-main.js`. */
export interface FleetOrder {
  readonly apiUrl: string;
  readonly token: string;
  readonly storageUrl: string;
  readonly edges: number;
  /** The position where all edges begin; without a table by default. */
  readonly position?: { readonly epoch: string; readonly version: number };
}

/** Times are in milliseconds since 1970, with fractions. */
export type FleetReport =
  | { readonly kind: 'in-sync'; readonly atMs: number }
  | { readonly kind: 'stored'; readonly version: number; readonly atMs: number }
  | { readonly kind: 'aborted'; readonly reason: string };

interface Fleet {
  /** Reasons why sessions ended that should have continued. */
  readonly aborted: readonly string[];
  /** @returns when the last edge had everything */
  inSync(): Promise<number>;
  /** @returns when the API said to the last edge that its acknowledgement of a version is stored */
  stored(version: number): Promise<number>;
  stop(): Promise<void>;
}

const LIMIT_MS = 300_000;

/** Starts a process with edges that all join at once. */
function startFleet(order: FleetOrder): Fleet {
  const child = fork(fileURLToPath(new URL('fleet-main.js', import.meta.url)), [JSON.stringify(order)]);
  const aborted: string[] = [];
  const storedAt = new Map<number, number>();
  let inSyncAt: number | undefined;
  child.on('message', (report: FleetReport) => {
    if (report.kind === 'in-sync') inSyncAt = report.atMs;
    else if (report.kind === 'stored') storedAt.set(report.version, report.atMs);
    else aborted.push(report.reason);
  });
  const wait = async (read: () => number | undefined, message: string): Promise<number> => {
    await waitUntil(() => read() !== undefined || child.exitCode !== null, {
      timeoutMs: LIMIT_MS,
      intervalMs: 5,
      message,
    });
    const value = read();
    if (value === undefined) throw new Error('the fleet has ended');
    return value;
  };
  return {
    aborted,
    inSync: () => wait(() => inSyncAt, `${order.edges} edges to be in sync`),
    stored: (version) => wait(() => storedAt.get(version), `version ${version} to be acknowledged by all`),
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** A database with many routes, and the real pets-api. */
export interface FleetFixture {
  readonly db: pg.Client;
  readonly api: { readonly pid: number; readonly url: string };
  /** Starts edges that join at once. */
  join(edges: number, position?: { epoch: string; version: number }): Fleet;
  close(): Promise<void>;
}

export async function startFleetFixture(): Promise<FleetFixture> {
  const onLine = (line: string) => void process.stderr.write(`  ${line}\n`);
  const stack = await startStack({ stores: { queues: 'postgres' }, onLine });
  const db = new pg.Client({ connectionString: stack.postgres.url });
  await db.connect();
  const began = performance.now();
  await fillRoutes(db, stack);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  process.stdout.write(`${FLEET_NAMES} routes in the database after ${seconds} s\n`);
  const api = await stack.startApi();
  const { STORAGE_URL: storageUrl = '', EDGE_TOKEN: token = '' } = stack.environments().api;
  const fleets: Fleet[] = [];
  return {
    db,
    api,
    join: (edges, position) => {
      const fleet = startFleet({
        apiUrl: api.url,
        token,
        storageUrl,
        edges,
        ...(position !== undefined && { position }),
      });
      fleets.push(fleet);
      return fleet;
    },
    close: async () => {
      await Promise.all(fleets.map((fleet) => fleet.stop()));
      await db.end();
      await stack.close();
    },
  };
}

/** Each host in a version of its own, as if they had been added one by one. */
async function fillRoutes(db: pg.Client, { organizationId }: Stack): Promise<void> {
  const project = randomUUID();
  await db.query(`insert into projects (id, organization_id, name, slug) values ($1, $2, 'Scale', 'scale')`, [
    project,
    organizationId,
  ]);
  await db.query(
    `insert into edge_routes (host, project_id, version, route)
    select format('n%s.edge-bench.test', i), $1, (select version from edge_feed) + i + 1, $2::jsonb
    from generate_series(0, $3::int - 1) i`,
    [project, JSON.stringify(routeOf(0)), FLEET_NAMES],
  );
  await db.query('update edge_feed set version = version + $1', [FLEET_NAMES]);
  await db.query('vacuum analyze edge_routes');
}

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
