import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorStatus, type AddedDomains, type DomainHistoryEntry, type RemovedDomains } from '@pets/contracts';
import type { DomainFixture, Tenant } from '../domain-fixture.js';
import { acknowledge } from '../edge/feed-steps.js';
import { startOperatorFixture, type OperatorFixture } from '../operations/operator-fixture.js';

let fixture: OperatorFixture;
let domainFixture: DomainFixture;
beforeAll(async () => {
  fixture = await startOperatorFixture();
  ({ domainFixture } = fixture);
});
beforeEach(async () => void (await domainFixture.api.db.deleteFrom('edges').execute()));
afterAll(() => fixture.close());

const path = ({ projectId }: Pick<Tenant, 'projectId'>) => `/v1/projects/${projectId}/domains`;
const bodyOf = (names: readonly string[]) => ({ domains: names.map((name) => ({ name })) });
const add = (owner: Tenant, names: readonly string[]) =>
  fixture.ask<AddedDomains>(owner, 'POST', `${path(owner)}:batch`, bodyOf(names));
const remove = (owner: Tenant, names: readonly string[]) =>
  fixture.ask<RemovedDomains>(owner, 'POST', `${path(owner)}:batchRemove`, bodyOf(names));
const numbered = (count: number, zone: string) => Array.from({ length: count }, (_, index) => `d${index}.${zone}`);
const resultsOf = ({ body }: { body: AddedDomains | RemovedDomains }) =>
  body.results.map(({ result, error }) => error?.code ?? result);

async function historyOf(owner: Tenant): Promise<string[]> {
  const answer = await fixture.ask<DomainHistoryEntry[]>(
    owner,
    'GET',
    `/v1/projects/${owner.projectId}/events?limit=100`,
  );
  return answer.body.map(({ type }) => type);
}

async function raiseLimit(owner: Tenant, value: number): Promise<void> {
  const organization = await fixture.organizationOf(owner);
  await fixture.admin(`limits set --organization ${organization} --name domainsPerProject --value ${value}`);
}

describe('a batch of names', () => {
  it('has a result for each name in the order sent, as a request for it alone would have', async () => {
    const owner = await domainFixture.tenant();
    const elsewhere = await domainFixture.createProject(owner.key, true);
    await fixture.ask(owner, 'POST', path({ projectId: elsewhere }), { name: 'taken.batch-one.com' });
    await fixture.admin('names block --name blocked.batch-one.com --reason phishing');
    const before = await owner.add('before.batch-one.com');
    const answer = await add(owner, [
      'New.Batch-One.com.',
      '*.batch-one.com',
      'not a host',
      'taken.batch-one.com',
      'blocked.batch-one.com',
      'before.batch-one.com',
      'new.batch-one.com',
      'bücher.batch-one.com',
    ]);
    expect(answer.status).toBe(200);
    expect(resultsOf(answer)).toEqual([
      ...['created', 'wildcard_needs_dns_challenge', 'invalid_domain', 'domain_exists', 'name_blocked'],
      ...['exists', 'exists', 'created'],
    ]);
    const [created, ...others] = answer.body.results;
    expect(created?.name).toBe('New.Batch-One.com.');
    expect(await owner.get('new.batch-one.com')).toMatchObject({
      id: created?.id,
      records: created?.records,
      state: 'awaiting_dns',
    });
    expect(others[5]?.id).toBe(created?.id);
    expect(others[4]).toMatchObject({ id: before.id, records: before.records });
    for (const { error } of others) if (error !== null) expect(error.status).toBe(errorStatus[error.code]);
    expect((await domainFixture.worker.nextJob('verify-dns', created?.id ?? '')).expected.name).toBe(
      'new.batch-one.com',
    );
  });

  it('changes nothing when it is sent again, with as many names as fit', async () => {
    const owner = await domainFixture.tenant();
    await raiseLimit(owner, 3);
    const names = numbered(5, 'batch-two.com');
    const first = await add(owner, names);
    const full = 'domain_limit_reached';
    expect(resultsOf(first)).toEqual(['created', 'created', 'created', full, full]);
    expect(resultsOf(await add(owner, names))).toEqual(['exists', 'exists', 'exists', full, full]);
    expect(await historyOf(owner)).toEqual(['owner.added', 'owner.added', 'owner.added']);
  });

  it('may have 1 000 names and more bytes than other requests, but no more', async () => {
    const owner = await domainFixture.tenant();
    await raiseLimit(owner, 1_000);
    const names = numbered(1_000, `${'a'.repeat(60)}.batch-three.com`);
    expect(new Set(resultsOf(await add(owner, names)))).toEqual(new Set(['created']));
    expect(await add(owner, [...names, 'one-more.batch-three.com'])).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter' },
    });
    expect(await add(owner, [])).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
    const large = { status: 413, body: { code: 'payload_too_large' } };
    expect(await add(owner, ['a'.repeat(1_048_576)])).toMatchObject(large);
    expect(await fixture.ask(owner, 'POST', path(owner), { name: 'a'.repeat(65_536) })).toMatchObject(large);
    const removed = await remove(owner, names);
    expect(new Set(resultsOf(removed))).toEqual(new Set(['removed']));
  });

  it('stores external ids and metadata, and changes none that are there', async () => {
    const owner = await domainFixture.tenant();
    const ask = (domains: readonly object[]) =>
      fixture.ask<AddedDomains>(owner, 'POST', `${path(owner)}:batch`, { domains });
    const gold = { name: 'gold.batch-seven.com', externalId: 'c-1', metadata: { tier: 'gold' } };
    expect(resultsOf(await ask([gold, { ...gold, externalId: 'c-2' }, { name: 'plain.batch-seven.com' }]))).toEqual([
      'created',
      'exists',
      'created',
    ]);
    expect(resultsOf(await ask([{ ...gold, externalId: 'c-3' }]))).toEqual(['exists']);
    expect(await owner.get(gold.name)).toMatchObject(gold);
    expect(await owner.get('plain.batch-seven.com')).toMatchObject({ externalId: null, metadata: {} });
    expect(await ask([{ ...gold, metadata: { tier: 5 } }])).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter', errors: [{ field: 'domains.0.metadata.tier' }] },
    });
  });

  it('is found with an encoded colon in the path, which some clients send', async () => {
    const owner = await domainFixture.tenant();
    const ask = (suffix: string) =>
      fixture.ask<AddedDomains>(owner, 'POST', `${path(owner)}${suffix}`, bodyOf(['encoded.batch-six.com']));
    expect(resultsOf(await ask('%3Abatch'))).toEqual(['created']);
    expect(resultsOf(await ask('%3abatch?'))).toEqual(['exists']);
    expect(resultsOf(await ask('%3AbatchRemove'))).toEqual(['removed']);
    expect(await ask('%253Abatch')).toMatchObject({ status: 404 });
  });

  it('is added once by overlapping batches for two projects', async () => {
    const owner = await domainFixture.tenant();
    await raiseLimit(owner, 300);
    const twin = { ...owner, projectId: await domainFixture.createProject(owner.key, true) };
    const names = numbered(200, 'batch-four.com');
    const answers = await Promise.all([
      ...[add(owner, names), add(twin, names.toReversed())],
      ...[add(owner, names.toReversed()), add(twin, names)],
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const created = answers.flatMap(({ body }) => body.results.filter(({ result }) => result === 'created'));
    expect(created.map(({ name }) => name).sort()).toEqual(names.toSorted());
  });

  it('is refused as a whole where the project cannot have domains', async () => {
    const { key } = await domainFixture.api.createOrganization('free');
    const owner = { ...(await domainFixture.tenant()), key };
    expect(await add(owner, ['a.example.com'])).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const free = { ...owner, projectId: await domainFixture.createProject(key, true) };
    expect(await add(free, ['a.example.com'])).toMatchObject({ status: 403, body: { code: 'plan_required' } });
    const own = await domainFixture.tenant();
    const empty = { ...own, projectId: await domainFixture.createProject(own.key, false) };
    expect(await add(empty, ['a.example.com'])).toMatchObject({ status: 409, body: { code: 'deployment_required' } });
  });
});

/** An edge that has applied all that was published up to now. */
const acknowledgeAll = () => acknowledge(domainFixture.api, domainFixture.api.url, 'edge-one');

describe('the removal of many domains', () => {
  it('says which domains an edge may still serve, until the last edge has applied it', async () => {
    const { owner, id, name } = await fixture.servedTenant();
    const waiting = await owner.add('waiting.batch-five.com');
    await acknowledgeAll();
    const names = [name.toUpperCase(), waiting.id, 'unknown.batch-five.com', '00000000-0000-4000-8000-000000000000'];
    const first = await remove(owner, names);
    expect(first.body.results.map((each) => each.id)).toEqual([id, waiting.id, null, null]);
    expect(resultsOf(first)).toEqual(['stopping', 'stopping', 'not_found', 'not_found']);
    expect(await owner.get(id)).toMatchObject({ state: 'removed', pendingEdges: 1 });
    expect(await fixture.routeOf(name)).toBeUndefined();
    await acknowledgeAll();
    expect(resultsOf(await remove(owner, names))).toEqual(['removed', 'removed', 'not_found', 'not_found']);
    expect((await historyOf(owner)).filter((type) => type === 'owner.removed')).toHaveLength(2);
  });

  it('refuses suspended domains and those of other projects', async () => {
    const { owner, id, name } = await fixture.servedTenant();
    const other = await domainFixture.tenant();
    await fixture.admin(`domain suspend --domain ${name} --reason phishing`);
    expect(resultsOf(await remove(owner, [name]))).toEqual(['suspended']);
    expect(resultsOf(await remove(other, [id, name]))).toEqual(['not_found', 'not_found']);
    expect((await owner.get(id)).state).not.toBe('removed');
  });
});
