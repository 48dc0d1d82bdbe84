import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { routeOf } from '../edge/feed-fixture.js';
import { startApi, startEngineFixture, type EngineFixture } from '../engine/engine-fixture.js';
import { startFleet, type Fleet } from './fleet.js';
import { FLEET_NAMES } from './settings.js';

/** A database with many routes, and the real pets-api. */
export interface FleetFixture {
  readonly db: pg.Client;
  readonly api: { readonly pid: number; readonly url: string };
  /** Starts edges that join at once. */
  join(edges: number, position?: { epoch: string; version: number }): Fleet;
  close(): Promise<void>;
}

export async function startFleetFixture(): Promise<FleetFixture> {
  const engine = await startEngineFixture('postgres');
  const db = new pg.Client({ connectionString: engine.postgres.url });
  await db.connect();
  const began = performance.now();
  await fillRoutes(db, engine);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  process.stdout.write(`${FLEET_NAMES} routes in the database after ${seconds} s\n`);
  const { api: environment } = engine.environment();
  const { child, url } = await startApi(environment, (line) => void process.stderr.write(`  ${line}\n`));
  const { STORAGE_URL: storageUrl = '', EDGE_TOKEN: token = '' } = environment;
  const fleets: Fleet[] = [];
  return {
    db,
    api: { pid: child.pid, url },
    join: (edges, position) => {
      const fleet = startFleet({ apiUrl: url, token, storageUrl, edges, ...(position !== undefined && { position }) });
      fleets.push(fleet);
      return fleet;
    },
    close: async () => {
      await Promise.all(fleets.map((fleet) => fleet.stop()));
      await child.stop();
      await db.end();
      await engine.close();
    },
  };
}

/** Each host in a version of its own, as if they had been added one by one. */
async function fillRoutes(db: pg.Client, { organizationId }: EngineFixture): Promise<void> {
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
