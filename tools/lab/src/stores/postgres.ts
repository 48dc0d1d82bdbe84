import { join } from 'node:path';
import {
  clusterTemplate,
  startPostgresServer,
  testPostgresSettings,
  type PostgresServer,
} from '@pets/testing/postgres';
import pg from 'pg';

/** The database of a stack, past what stands between it and the processes. */
export interface StackPostgres extends PostgresServer {
  connect(): Promise<pg.Client>;
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export async function startStackPostgres(
  folder: string,
  settings: Readonly<Record<string, string>> | 'volatile',
): Promise<StackPostgres> {
  const own = join(folder, 'postgres');
  const server = await startPostgresServer(
    settings === 'volatile'
      ? { folder: own, settings: testPostgresSettings, template: await clusterTemplate() }
      : { folder: own, settings },
  );
  const connect = async () => {
    const client = new pg.Client({
      connectionString: server.url,
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
  return Object.assign(server, { connect, query });
}
