import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiError, Domain, Project } from '@pets/contracts';
import { asTenant, openDatabase, type Database } from '@pets/persistence';
import { sql } from 'kysely';
import { site } from '../projects/bundles.js';
import { DATABASE } from '../../src/platform/providers.js';
import { startTestApi, type TestApi } from '../harness.js';

/** The least that can be configured: one connection for each organization, two for all. */
const POOL_SIZE = 4;

let api: TestApi;
/** Connections of the test itself. */
let outside: Database;
let count = 0;

interface Organization {
  readonly key: string;
  readonly projectId: string;
}

beforeAll(async () => {
  api = await startTestApi({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
  outside = openDatabase({ url: api.databaseUrl, onConnectionError: () => undefined });
});
beforeEach(async () => void (await outside.deleteFrom('edges').execute()));
afterAll(async () => {
  await outside.destroy();
  await api.close();
});

async function createOrganization(): Promise<Organization> {
  const { key } = await api.createOrganization('pro');
  const body = { name: 'P', slug: `shares-${++count}` };
  return { key, projectId: (await api.request<Project>('POST', '/v1/projects', { key, body })).body.id };
}

const rename = ({ key, projectId }: Organization) =>
  api.request<ApiError>('PATCH', `/v1/projects/${projectId}`, { key, body: { name: 'Renamed' }, repeats: false });

/** Locks the rows of projects until `release` is called. */
async function holdLocks(ids: readonly string[]) {
  let release: () => void = () => undefined;
  const isOver = new Promise<void>((resolve) => (release = resolve));
  let hasLocks: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (hasLocks = resolve));
  const done = outside.transaction().execute(async (tx) => {
    await tx.selectFrom('projects').select('id').where('id', 'in', ids).forUpdate().execute();
    hasLocks();
    await isOver;
  });
  await held;
  return async () => {
    release();
    await done;
  };
}

const isBusy = ({ status, body }: { readonly status: number; readonly body: ApiError }) =>
  status === 429 && body.code === 'concurrency_limited';

describe('requests of one organization that wait for a lock', () => {
  it('leave connections to others, and are refused after a while with no effect', async () => {
    const [attacker, other] = [await createOrganization(), await createOrganization()];
    const release = await holdLocks([attacker.projectId]);
    const waiting = Array.from({ length: 60 }, () => rename(attacker));
    for (let request = 0; request < 20; request += 1) {
      expect((await api.request('GET', '/v1/projects', { key: other.key })).status).toBe(200);
      expect((await rename(other)).status).toBe(200);
    }
    const first = await Promise.race(waiting);
    expect(isBusy(first)).toBe(true);
    expect(first.headers.get('retry-after')).toBe('1');
    await release();
    const statuses = (await Promise.all(waiting)).map((answer) => (isBusy(answer) ? 'busy' : answer.status));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(statuses.every((status) => status === 200 || status === 'busy')).toBe(true);
    expect((await rename(attacker)).status).toBe(200);
  });

  it('do not add up with those of other organizations to all connections', async () => {
    const attackers = await Promise.all(Array.from({ length: 6 }, createOrganization));
    const release = await holdLocks(attackers.map(({ projectId }) => projectId));
    const waiting = attackers.flatMap((attacker) => [rename(attacker), rename(attacker)]);
    // Two connections are never those of requests: events, dispatch and edges go on.
    const database = api.service<Database>(DATABASE as never);
    for (let statement = 0; statement < 10; statement += 1) await sql`select 1`.execute(database);
    await release();
    await Promise.all(waiting);
  });

  it('are known to be somebody’s while no connection is free', async () => {
    const attackers = await Promise.all(Array.from({ length: 4 }, createOrganization));
    const release = await holdLocks(attackers.map(({ projectId }) => projectId));
    const waiting = attackers.map(rename);
    const { key } = await api.createOrganization('pro');
    expect((await api.request('GET', '/v1/pets', { key })).status).toBe(200);
    await release();
    await Promise.all(waiting);
  });
});

describe('a request', () => {
  it('may not ask for a second connection while it holds one', async () => {
    const database = api.service<Database>(DATABASE as never);
    const nested = asTenant('somebody', () =>
      database.transaction().execute(async () => void (await sql`select 1`.execute(database))),
    );
    await expect(nested).rejects.toThrow('beside its open transaction');
  });
});

describe('the repeated removal of a domain', () => {
  const insertEdge = async (ackedVersion: number) => {
    const { epoch } = await outside.selectFrom('edge_feed').select('epoch').executeTakeFirstOrThrow();
    await outside
      .insertInto('edges')
      .values({
        ...{ id: 'silent', epoch, acked_version: BigInt(ackedVersion), last_contact_at: new Date() },
        ...{ http_address: '127.0.0.1:1', https_address: '127.0.0.1:2', session_id: randomUUID() },
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ acked_version: BigInt(ackedVersion) }))
      .execute();
  };

  it('answers at once and costs others nothing while an edge is silent, and knows when traffic has stopped', async () => {
    const [attacker, other] = [await createOrganization(), await createOrganization()];
    const { key, projectId } = attacker;
    const headers = { 'content-type': 'application/gzip' };
    await api.request('POST', `/v1/projects/${projectId}/deployments`, { key, body: site, headers });
    const path = `/v1/projects/${projectId}/domains`;
    const { id } = (await api.request<Domain>('POST', path, { key, body: { name: 'repeated.example.com' } })).body;
    await insertEdge(0);
    // As if it had been served.
    expect((await api.request('DELETE', `${path}/${id}`, { key })).status).toBe(204);
    await outside
      .updateTable('domains')
      .set({ removed_version: 1_000n, traffic_stopped_at: null })
      .where('id', '=', id)
      .execute();
    const repeated = Array.from({ length: 200 }, () => api.request('DELETE', `${path}/${id}`, { key, repeats: false }));
    for (let request = 0; request < 20; request += 1)
      expect((await api.request('GET', '/v1/projects', { key: other.key })).status).toBe(200);
    // Those that wait longer than the limit are refused, as on a busy machine.
    const answers = await Promise.all(repeated);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused.length).toBeLessThan(answers.length);
    for (const { body } of refused) expect(body).toMatchObject({ code: 'concurrency_limited', status: 429 });
    await insertEdge(1_000);
    expect((await api.request('DELETE', `${path}/${id}`, { key })).status).toBe(204);
  });
});

describe('the requests of a minute', () => {
  it('start over several seconds: none is refused, and others do not wait', async () => {
    const replica = await api.startReplica({ RATE_LIMIT_PER_MINUTE: '100' });
    const { key } = await api.createOrganization('pro');
    const answers = Array.from({ length: 25 }, () => replica.request('GET', '/v1/pets', { key, repeats: false }));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { key: other } = await api.createOrganization('pro');
    expect((await replica.request('GET', '/v1/pets', { key: other })).status).toBe(200);
  });
});

describe('batches at the same time', () => {
  it('are admitted as far as the allowance goes, and give back what they do not use', async () => {
    const replica = await api.startReplica({ RATE_LIMIT_PER_MINUTE: '100' });
    const { key } = await api.createOrganization('pro');
    const body = { name: 'P', slug: `shares-${++count}` };
    const { id } = (await replica.request<Project>('POST', '/v1/projects', { key, body })).body;
    const batch = (label: string, names: number) => ({
      domains: Array.from({ length: names }, (_, index) => ({ name: `${label}-${index}.example.com` })),
    });
    const send = (label: string, names: number) =>
      replica.request<ApiError>('POST', `/v1/projects/${id}/domains:batch`, { key, body: batch(label, names) });
    // Without a deployment nothing is added, so each batch costs one request in the end.
    const refused = [await send('early-a', 900), await send('early-b', 900)];
    expect(refused.map(({ body: { code } }) => code)).toEqual(['deployment_required', 'deployment_required']);
    const headers = { 'content-type': 'application/gzip' };
    await replica.request('POST', `/v1/projects/${id}/deployments`, { key, body: site, headers });
    // Four are sent, and each costs 30: of 100, four for the requests above are used.
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((label) => send(label, 300)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429]);
  });
});
