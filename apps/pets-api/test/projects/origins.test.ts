import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AddedDomains,
  originHeadersBinding,
  originRow,
  type Domain,
  type EdgeRoute,
  type Origin,
  type Project,
} from '@pets/contracts';
import { parseKeyRing, unseal } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { OriginTests } from '../../src/projects/origins/origin-tests.service.js';
import { makeBundle } from './bundles.js';
import type { TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';
import { originSteps } from './origin-steps.js';

const ring = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);

let api: TestApi;
let key: string;
let steps: ReturnType<typeof originSteps>;

beforeAll(async () => {
  api = await shareTestApi();
  ({ key } = await api.createOrganization('pro'));
  steps = originSteps(api);
});
afterAll(() => api.close());

let count = 0;

interface OpenedProject {
  readonly id: string;
  readonly path: string;
  readonly platformHost: string;
}

async function openProject(): Promise<OpenedProject> {
  const slug = `forwarded-${(count += 1)}`;
  const { body } = await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'App', slug } });
  return { id: body.id, path: `/v1/projects/${body.id}`, platformHost: new URL(body.platformUrl).hostname };
}

const put = async (project: OpenedProject, body: object) =>
  (await api.request<Origin>('PUT', `${project.path}/origin`, { key, body })).body;
const read = async (project: OpenedProject) =>
  (await api.request<Origin>('GET', `${project.path}/origin`, { key })).body;
const deploy = async (project: OpenedProject) =>
  api.request('POST', `${project.path}/deployments`, {
    key,
    body: makeBundle([{ path: 'index.html', content: project.id }]),
    headers: { 'content-type': 'application/gzip' },
  });

async function routes(project: OpenedProject): Promise<Record<string, EdgeRoute | null>> {
  const rows = await api.db
    .selectFrom('edge_routes')
    .select(['host', 'route'])
    .where('project_id', '=', project.id)
    .execute();
  return Object.fromEntries(rows.map(({ host, route }) => [host, route]));
}

async function serving(project: OpenedProject, body: object): Promise<Origin> {
  const origin = await put(project, body);
  await steps.report(origin, 200);
  await waitUntil(async () => (await read(project)).state === 'serving');
  return read(project);
}

describe('an origin', () => {
  it('is a row of the feed, and serves nobody until a test has passed', async () => {
    const project = await openProject();
    await deploy(project);
    const origin = await put(project, { url: 'https://app.example.net/' });
    expect(origin).toMatchObject({
      url: 'https://app.example.net',
      state: 'testing',
      timeouts: { connect: 5, answer: 60, idle: 300 },
      test: { passed: null, finishedAt: null },
    });
    expect(await routes(project)).toMatchObject({
      [project.platformHost]: { serve: { kind: 'site' } },
      [originRow(origin.id)]: {
        serve: { kind: 'origin', url: 'https://app.example.net', test: 1, maxConnections: 100 },
        certificateId: null,
      },
    });
    await steps.report(origin, 503);
    await waitUntil(async () => (await read(project)).state === 'failed');
    expect((await read(project)).test).toMatchObject({ passed: false, status: 503, address: '203.0.113.7' });
    expect(await routes(project)).toMatchObject({ [project.platformHost]: { serve: { kind: 'site' } } });
  });

  it('serves when one of the edges got an answer, whatever others report', async () => {
    const project = await openProject();
    const origin = await put(project, { url: 'https://app.example.net' });
    await steps.report(origin, null);
    await waitUntil(async () => (await read(project)).state === 'failed');
    await steps.report(origin, 404);
    await waitUntil(async () => (await read(project)).state === 'serving');
    await steps.report(origin, null);
    await put(project, { url: 'https://app.example.net', maxConnections: 5 }); // after the report, in order
    expect(await read(project)).toMatchObject({ state: 'serving', maxConnections: 5, test: { passed: null } });
    expect(await routes(project)).toMatchObject({
      [project.platformHost]: { serve: { kind: 'application', origin: origin.id }, certificateId: 'platform' },
    });
  });

  it('does not take the result of an earlier test', async () => {
    const project = await openProject();
    const origin = await put(project, { url: 'https://app.example.net' });
    const earlier = { origin: origin.id, test: await steps.testOf(origin) };
    await put(project, { url: 'https://other.example.net' });
    await steps.reportTests({ ...earlier, status: 200, durationMs: 1, failure: null, address: null });
    await steps.report(origin, 500);
    await waitUntil(async () => (await read(project)).state === 'failed');
    expect((await read(project)).test).toMatchObject({ status: 500 });
  });

  it('counts as what a domain needs', async () => {
    const project = await openProject();
    const add = () =>
      api.request<Domain & { code: string }>('POST', `${project.path}/domains`, {
        key,
        body: { name: `of${count}.example.com` },
      });
    const refused = await add();
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'deployment_required' });
    await serving(project, { url: 'https://app.example.net' });
    expect((await add()).status).toBe(201);
  });

  it('changes in one entry of the feed, however many domains there are', async () => {
    const project = await openProject();
    const origin = await serving(project, { url: 'https://app.example.net' });
    const before = await routesByVersion();
    await put(project, { url: 'https://new.example.net', hostHeader: 'App.example.net' });
    const after = await routesByVersion();
    const changed = [...after].filter(([host, version]) => before.get(host) !== version).map(([host]) => host);
    expect(changed).toEqual([originRow(origin.id)]);

    async function routesByVersion() {
      const rows = await api.db
        .selectFrom('edge_routes')
        .select(['host', 'version'])
        .where('project_id', '=', project.id)
        .execute();
      return new Map(rows.map(({ host, version }) => [host, version]));
    }
  });

  it('has sealed headers, which stay when a change does not name them', async () => {
    const project = await openProject();
    const origin = await put(project, { url: 'https://app.example.net', headers: { 'X-Secret': 's3cret value' } });
    expect(origin.headers).toEqual(['x-secret']);
    await put(project, { url: 'https://app.example.net', maxConnections: 7 });
    const serve = (await routes(project))[originRow(origin.id)]?.serve;
    const sealed = serve?.kind === 'origin' ? (serve.sealedHeaders ?? '') : '';
    expect(JSON.stringify(await routes(project))).not.toContain('s3cret');
    expect(JSON.parse(unseal(ring, sealed, originHeadersBinding(origin.id)))).toEqual({
      'x-secret': 's3cret value',
    });
    expect((await put(project, { url: 'https://app.example.net', headers: {} })).headers).toEqual([]);
    expect((await routes(project))[originRow(origin.id)]?.serve).not.toHaveProperty('sealedHeaders');
  });

  it('tells the metadata of a domain, up to a limit', async () => {
    const project = await openProject();
    await serving(project, { url: 'https://app.example.net', metadata: ['tier', 'more'] });
    const name = `labels${count}.example.com`;
    const path = `${project.path}/domains`;
    await api.request('POST', path, { key, body: { name, externalId: 'c 1', metadata: { tier: 'gold' } } });
    const [domain] = await api.db.selectFrom('domains').select('id').where('name', '=', name).execute();
    const long = { tier: 'x'.repeat(512), more: 'x'.repeat(512) };
    const change = (metadata: object) =>
      api.request<{ code: string; message: string }>('PATCH', `${path}/${domain?.id}`, { key, body: { metadata } });
    const refused = await change(long);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_parameter']);
    expect(refused.body.message).toContain('1024 bytes');
    expect((await change({ tier: 'silver', unasked: 'x'.repeat(512) })).status).toBe(200);

    const added = { externalId: 'c 2', metadata: long };
    const one = await api.request<{ code: string }>('POST', path, { key, body: { name: `long.${name}`, ...added } });
    expect([one.status, one.body.code]).toEqual([400, 'invalid_parameter']);
    const domains = [{ name: `long.${name}`, ...added }, { name: `short.${name}` }];
    const batch = await api.request<AddedDomains>('POST', `${path}:batch`, { key, body: { domains } });
    expect(batch.body.results).toMatchObject([
      { result: 'refused', error: { code: 'invalid_parameter', errors: [{ field: 'metadata' }] } },
      { result: 'created' },
    ]);

    // The origin may ask for more than a domain has room for: that is left out, and other changes go on.
    await put(project, { url: 'https://app.example.net', metadata: ['tier', 'more', 'unasked'] });
    await api.db
      .updateTable('domains')
      .set({ metadata: JSON.stringify(long) })
      .where('name', '=', name)
      .execute();
    const other = (body: object) => api.request('PATCH', `${path}/${domain?.id}`, { key, body });
    expect((await other({ externalId: 'c 3' })).status).toBe(200);
    expect((await other({ metadata: { note: 'n' } })).status).toBe(200);
    expect((await change({ tier: 'y'.repeat(512) })).body.code).toBe('invalid_parameter');
    expect((await other({ metadata: { more: null } })).status).toBe(200);
  });

  it('ends with its row, and the deployment is served again', async () => {
    const project = await openProject();
    await deploy(project);
    const origin = await serving(project, { url: 'https://app.example.net' });
    expect((await api.request('DELETE', `${project.path}/origin`, { key })).status).toBe(204);
    expect(await routes(project)).toMatchObject({
      [project.platformHost]: { serve: { kind: 'site' } },
      [originRow(origin.id)]: null,
    });
    expect((await api.request('GET', `${project.path}/origin`, { key })).status).toBe(404);
    expect((await api.request('DELETE', `${project.path}/origin`, { key })).status).toBe(404);
  });

  it('is asked for again when no edge has answered, for an hour', async () => {
    const project = await openProject();
    const origin = await put(project, { url: 'https://app.example.net' });
    const tests = api.service(OriginTests);
    const setAge = (minutes: number) => {
      const at = new Date(Date.now() - minutes * 60_000);
      return api.db
        .updateTable('origins')
        .set({ test_sent_at: at, test_started_at: at })
        .where('id', '=', origin.id)
        .execute();
    };
    const repeatedTest = async () => {
      await tests.repeatUnanswered();
      return steps.testOf(origin);
    };
    expect(await repeatedTest()).toBe(1);
    await setAge(2);
    expect(await repeatedTest()).toBe(2);
    expect((await routes(project))[originRow(origin.id)]?.serve).toMatchObject({ test: 2 });
    expect(await repeatedTest()).toBe(2);
    await setAge(61);
    expect(await repeatedTest()).toBe(2);
    await setAge(2);
    await steps.report(origin, 500);
    await waitUntil(async () => (await read(project)).state === 'failed');
    expect(await repeatedTest()).toBe(2);
  });

  it('is tested again on request', async () => {
    const project = await openProject();
    const origin = await serving(project, { url: 'https://app.example.net' });
    await api.db
      .updateTable('origins')
      .set({ test_started_at: new Date(Date.now() - 10_000) })
      .where('id', '=', origin.id)
      .execute();
    const { status, body } = await api.request<Origin>('POST', `${project.path}/origin/test`, { key });
    expect([status, body.state, body.test.finishedAt]).toEqual([202, 'serving', null]);
    // Soon after, it is the same test.
    await api.request<Origin>('POST', `${project.path}/origin/test`, { key });
    expect(await steps.testOf(origin)).toBe(2);
    await steps.report(origin, 302);
    await waitUntil(async () => (await read(project)).test.passed === true);
  });
});

describe('an origin is refused', () => {
  it.each([
    ['a path', { url: 'https://app.example.net/base' }],
    ['a query', { url: 'https://app.example.net?x' }],
    ['a user', { url: 'https://u:p@app.example.net' }],
    ['another scheme', { url: 'ftp://app.example.net' }],
    ['a privileged port', { url: 'https://app.example.net:22' }],
    ['the platform', { url: 'https://x.pets.localhost' }],
    ['a header of the edge', { url: 'https://app.example.net', headers: { 'X-Forwarded-For': '1' } }],
    ['a header of the edge with underscores', { url: 'https://app.example.net', headers: { x_pets_domain: '1' } }],
    ['a line break', { url: 'https://app.example.net', headers: { a: 'b\r\nc: d' } }],
    ['a host header with a path', { url: 'https://app.example.net', hostHeader: 'a/b' }],
    ['no time', { url: 'https://app.example.net', timeouts: { connect: 0 } }],
  ])('with %s', async (_what, body) => {
    const project = await openProject();
    const answer = await api.request<{ code: string }>('PUT', `${project.path}/origin`, { key, body });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter']);
  });

  it('for another organization', async () => {
    const project = await openProject();
    const { key: other } = await api.createOrganization('pro');
    const answer = await api.request('PUT', `${project.path}/origin`, {
      key: other,
      body: { url: 'https://a.example.net' },
    });
    expect(answer.status).toBe(404);
  });
});
