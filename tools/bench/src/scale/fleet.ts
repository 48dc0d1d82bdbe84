import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@pets/testing/processes';
import pg from 'pg';
import { routeOf } from '../edge/feed-fixture.js';
import { startStack, type Stack } from '@pets/lab';
import { FLEET_NAMES } from '../settings.js';

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

export interface Fleet {
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
