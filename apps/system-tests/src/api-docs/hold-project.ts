import { waitUntil } from '@pets/testing';
import pg from 'pg';
import type { ApiFixture } from './api-fixture.js';
import type { Arrangement } from './run-transcript.js';

/** Sends a change of a project, and keeps it from ending until it is released. `$PROJECT` is the project. */
export async function holdProject({ client, databaseUrl }: ApiFixture): Promise<Arrangement> {
  const { data } = await client.GET('/v1/projects', {});
  const project = data?.[0];
  if (project === undefined) throw new Error('there is no project');
  const holder = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from projects where id = $1 for update', [project.id]);
  const params = { path: { projectId: project.id } };
  const held = client.PATCH('/v1/projects/{projectId}', { params, body: { name: project.name } });
  const isHeld = async () =>
    (await holder.query(`select from pg_locks where not granted and locktype in ('transactionid', 'tuple')`))
      .rowCount === 1;
  await waitUntil(isHeld, { message: 'the first change to wait' });
  return {
    variables: { PROJECT: project.id },
    release: async () => {
      await holder.query('commit');
      await holder.end();
      await held;
    },
  };
}
