import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../processes/ports.js';
import { keepTemplate, startPostgres } from './postgres.js';
import { clusterTemplate, EMPTY, testPostgresSettings, type TestPostgresContents } from './postgres-template.js';
import { execute, type TestPostgres } from './test-postgres.js';

export interface TestPostgresServer extends TestPostgres {
  /** Copies the server, with a short interruption: a standby that receives nothing from then on. Once for a server. */
  keepStandby(): Promise<LaggingStandby>;
}

type LaggingStandby = {
  /** Replaces the server, at the same address. What was committed after the copy is lost. */
  promote(): Promise<void>;
};

/** A PostgreSQL server for one test alone, which may stop it or change what belongs to all databases. */
export async function startTestPostgresServer(contents: TestPostgresContents = EMPTY): Promise<TestPostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-postgres-'));
  const options = { dataDir: join(folder, 'data'), port: await freePort(), settings: testPostgresSettings };
  let server = await startPostgres({ ...options, template: await clusterTemplate(contents) });
  const { url } = server;
  const stop = async () => {
    await server.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  const keepStandby = async () => {
    const standby = join(folder, 'standby');
    await server.stop();
    await keepTemplate(options.dataDir, standby);
    await writeFile(join(standby, 'cluster/standby.signal'), '');
    server = await startPostgres(options);
    const promote = async () => {
      await server.destroy();
      server = await startPostgres({ ...options, dataDir: join(folder, 'promoted'), template: standby });
      await execute(url, 'select pg_promote()');
    };
    return { promote };
  };
  return { url, stop, keepStandby };
}
