import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Domain, DomainConfig } from '@pets/contracts';
import { startDomainWorld, type DomainWorld } from './domain-world.js';
import { matchingFindings } from './scripted-worker.js';

let world: DomainWorld;

beforeAll(async () => {
  world = await startDomainWorld();
});
afterAll(() => world.close());

const configOf = async (projectId: string) =>
  (await world.api.request<DomainConfig>('GET', `/v1/projects/${projectId}/domain-config`, { key: world.key })).body;
const redirect = (from: string, to: string) => ({ from, to, status: 301 });

const addOne = (projectId: string, name: string) =>
  world.api.request('POST', world.path(projectId), { key: world.key, body: { name } });

describe('a pair', () => {
  const add = <Body = ApiError>(projectId: string, name: string, headers: Record<string, string> = {}) =>
    world.api.request<Body>('POST', world.path(projectId), { key: world.key, body: { name, pair: true }, headers });

  it.each([
    ['an apex', 'pair-one.com', 'www.pair-one.com'],
    ['a www name', 'www.pair-two.com', 'pair-two.com'],
    ['an international name', 'bücher-paar.com', 'www.bücher-paar.com'],
  ])('of %s is added with its redirect in one call, and each knows the other', async (_name, asked, twin) => {
    const projectId = await world.createProject(world.key, true);
    const added = await add<Domain>(projectId, asked);
    expect(added.status).toBe(201);
    expect(added.headers.get('location')).toBe(`${world.path(projectId)}/${added.body.id}`);
    const other = await world.api.request<Domain>('GET', `${world.path(projectId)}/${added.body.pairedWith}`, {
      key: world.key,
    });
    expect(other.body).toMatchObject({ unicodeName: twin, state: 'awaiting_dns', pairedWith: added.body.id });
    expect(await configOf(projectId)).toEqual({
      domains: { primary: added.body.name, redirects: [redirect(other.body.name, added.body.name)] },
    });
    for (const { id } of [added.body, other.body]) {
      await world.check(id, matchingFindings);
      await world.worker.nextJob('issue-certificate', id);
    }
  });

  it('leaves another primary where it is', async () => {
    const projectId = await world.createProject(world.key, true);
    const primary = world.freshName();
    await addOne(projectId, primary);
    await world.api.request('PUT', `/v1/projects/${projectId}/domain-config`, {
      key: world.key,
      body: { domains: { primary, redirects: [] } },
    });
    await add(projectId, 'pair-three.com');
    expect((await configOf(projectId)).domains.primary).toBe(primary);
  });

  it('does not exist of any other name, and then nothing is added', async () => {
    const projectId = await world.createProject(world.key, true);
    for (const name of ['docs.pair-four.com', 'www.docs.pair-four.com']) {
      const refused = await add(projectId, name);
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_domain']);
    }
    expect((await world.api.request('GET', world.path(projectId), { key: world.key })).body).toEqual([]);
  });

  it('is refused whole when the organization has one of them', async () => {
    const projectId = await world.createProject(world.key, true);
    await world.add('www.pair-five.com');
    const refused = await add(projectId, 'pair-five.com');
    expect([refused.status, refused.body.code]).toEqual([409, 'domain_exists']);
    expect(refused.body.message).toContain('www.pair-five.com');
    expect((await world.api.request('GET', world.path(projectId), { key: world.key })).body).toEqual([]);
  });

  it('counts as two', async () => {
    const projectId = await world.createProject(world.key, true);
    for (let nth = 0; nth < 49; nth++) await addOne(projectId, world.freshName());
    const refused = await add(projectId, 'pair-six.com');
    expect([refused.status, refused.body.code]).toEqual([403, 'domain_limit_reached']);
  });

  it('is added once, however often the request is repeated', async () => {
    const projectId = await world.createProject(world.key, true);
    const once = { 'idempotency-key': 'pair-once' };
    const [first, again] = [await add(projectId, 'pair-seven.com', once), await add(projectId, 'pair-seven.com', once)];
    expect([again.status, again.text]).toEqual([201, first.text]);
    const list = await world.api.request<unknown[]>('GET', world.path(projectId), { key: world.key });
    expect(list.body).toHaveLength(2);
  });
});
