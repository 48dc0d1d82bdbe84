import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  clusterTemplate,
  keepTemplate,
  startPostgres,
  testPostgresSettings,
  type RunningPostgres,
} from '@pets/testing/postgres';
import { freePort } from '@pets/testing/processes';
import pg from 'pg';

/** The database of a stack, past what stands between it and the processes. */
export interface StackPostgres {
  readonly url: string;
  /** PID of the server that was started last. */
  readonly pid: number;
  readonly port: number;
  connect(): Promise<pg.Client>;
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Ends the server at once, without a goodbye, and starts it with its data. */
  restart(): Promise<void>;
  /** Copies the server, with a short interruption: a standby that receives nothing from then on. */
  keepStandby(): Promise<void>;
  /** Kills the server and promotes the standby, at the same address. What was committed since the copy is lost. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

export async function startStackPostgres(
  folder: string,
  settings: Readonly<Record<string, string>> | 'volatile',
): Promise<StackPostgres> {
  const isVolatile = settings === 'volatile';
  const place = { port: await freePort(), settings: isVolatile ? testPostgresSettings : settings };
  let [dataDir, standby, count] = [join(folder, 'postgres'), '', 0];
  // A copy takes a moment; a cluster of its own is what is measured.
  const template = isVolatile ? await clusterTemplate() : undefined;
  let server: RunningPostgres = await startPostgres({ ...place, dataDir, ...(isVolatile && { template }) });
  const { url } = server;
  const connect = async () => {
    const client = new pg.Client({
      connectionString: url,
      ...{ connectionTimeoutMillis: 5_000, query_timeout: 10_000 },
    });
    client.on('error', () => undefined); // its next query fails
    await client.connect();
    return client;
  };
  const query = async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) => {
    const client = await connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  const kill = async () => {
    process.kill(server.pid, 'SIGQUIT'); // the immediate shutdown: recovery at the next start
    await server.exited;
  };
  return {
    url,
    port: place.port,
    get pid() {
      return server.pid;
    },
    connect,
    query,
    restart: async () => {
      await kill();
      server = await startPostgres({ ...place, dataDir });
    },
    keepStandby: async () => {
      standby = join(folder, `standby-${++count}`);
      await server.stop();
      await keepTemplate(dataDir, standby);
      await writeFile(join(standby, 'cluster/standby.signal'), '');
      server = await startPostgres({ ...place, dataDir });
    },
    failOver: async () => {
      await kill();
      await server.destroy();
      dataDir = join(folder, `promoted-${count}`);
      server = await startPostgres({ ...place, dataDir, template: standby });
      await query('select pg_promote()');
    },
    stop: () => server.destroy(),
  };
}
