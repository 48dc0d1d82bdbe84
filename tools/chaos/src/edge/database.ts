import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineFixture } from '@pets/bench/engine';
import { keepTemplate, startPostgres, type RunningPostgres } from '@pets/dev-stack';
import pg from 'pg';

/** A database with a standby that lags behind. */
export interface FailoverDatabase {
  /** Copies the server, with a short interruption: a standby that receives nothing from then on. */
  keepStandby(): Promise<void>;
  /** Kills the server and promotes the standby, at the same address. What was committed since the copy is lost. */
  failOver(): Promise<void>;
  query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]>;
  stop(): Promise<void>;
}

export function failoverDatabase(engine: EngineFixture): FailoverDatabase {
  const { postgres, postgresPort: port, postgresFolder, folder } = engine;
  let server: RunningPostgres = postgres;
  let [dataDir, standby, count] = [postgresFolder, '', 0];
  const query = async <Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> => {
    const client = new pg.Client({
      connectionString: server.url,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    });
    client.on('error', () => undefined); // its query fails
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    query,
    keepStandby: async () => {
      standby = join(folder, `standby-${++count}`);
      await server.stop();
      await keepTemplate(dataDir, standby);
      await writeFile(join(standby, 'cluster/standby.signal'), '');
      server = await startPostgres({ dataDir, port });
    },
    failOver: async () => {
      process.kill(server.pid, 'SIGQUIT'); // the immediate shutdown
      await server.exited;
      await server.destroy();
      dataDir = join(folder, `promoted-${count}`);
      server = await startPostgres({ dataDir, port, template: standby });
      await query('select pg_promote()');
    },
    stop: () => server.destroy(),
  };
}
