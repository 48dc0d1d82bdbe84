import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../processes/ports.js';
import { keepTemplate, startPostgres } from './postgres.js';

/** A PostgreSQL server that can be killed, and replaced by an older copy of itself. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** PID of the server that was started last. */
  readonly pid: number;
  /** Ends the server at once, without a goodbye, and starts it with its data. */
  restart(): Promise<void>;
  /** Copies the server, with a short interruption: a standby that receives nothing from then on. */
  keepStandby(): Promise<void>;
  /** Kills the server and promotes the standby, at the same address. What was committed since the copy is lost. */
  failOver(): Promise<void>;
  /** Stops it and deletes its data. */
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Belongs to the server, and is deleted with it. */
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  /** A folder of `keepTemplate`; without one, the cluster is made. */
  readonly template?: string;
}

export async function startPostgresServer({
  folder,
  settings,
  template,
}: PostgresServerOptions): Promise<PostgresServer> {
  await mkdir(folder, { recursive: true });
  const place = { port: await freePort(), settings };
  let [dataDir, standby, count] = [join(folder, 'data'), '', 0];
  let server = await startPostgres({ ...place, dataDir, ...(template !== undefined && { template }) });
  const { url } = server;
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
      await executeAt(url, 'select pg_promote()');
    },
    stop: async () => {
      await server.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Executes one statement over a connection of its own. */
export async function executeAt(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 30_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
