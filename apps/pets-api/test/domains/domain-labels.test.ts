import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Domain } from '@pets/contracts';
import { sql } from 'kysely';
import { domainsPageQuery, type DomainFilters } from '../../src/domains/domain-lists.repository.js';
import { pageStatement } from '../../src/http/paging/keyset.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { explainScans, rowsRead } from '../query-plan.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

const add = (body: object) =>
  fixture.api.request<Domain & ApiError>('POST', fixture.path(), {
    key: fixture.key,
    body: { name: fixture.freshName(), ...body },
  });
const patch = (id: string, body: object) =>
  fixture.api.request<Domain & ApiError>('PATCH', `${fixture.path()}/${id}`, { key: fixture.key, body });
const find = async (query: string, path = '/v1/domains') =>
  (await fixture.api.request<Domain[]>('GET', `${path}?${query}`, { key: fixture.key })).body.map(({ id }) => id);
const keysTo = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));

describe('the labels of a domain', () => {
  it('are set when it is added, found in all lists, and sent in webhooks', async () => {
    const body = { url: 'https://hooks.example.com/labels', eventTypes: ['domain.added'] };
    await fixture.api.request('POST', '/v1/webhook-endpoints', { key: fixture.key, body });
    const labels = { externalId: 'customer 1', metadata: { tier: 'gold', größe: 'a&b=[c]' } };
    const { body: domain } = await add(labels);
    expect(domain).toMatchObject(labels);
    const plain = (await add({})).body;
    expect(plain).toMatchObject({ externalId: null, metadata: {} });
    for (const path of ['/v1/domains', fixture.path()]) {
      expect(await find('externalId=customer%201', path)).toEqual([domain.id]);
      expect(await find('metadata[tier]=gold', path)).toEqual([domain.id]);
      expect(await find(`metadata%5Bgr%C3%B6%C3%9Fe%5D=${encodeURIComponent('a&b=[c]')}`, path)).toEqual([domain.id]);
      expect(await find('metadata[tier]=gold&externalId=other', path)).toEqual([]);
      expect(await find('metadata[tier]=silver', path)).toEqual([]);
      expect(await find('metadata[tier]=gold&sort=-createdAt', fixture.path())).toEqual([domain.id]);
    }
    const { rows } = await sql<{ body: string }>`
      select body from webhook_deliveries where subject_id = ${domain.id}`.execute(fixture.api.db);
    expect(JSON.parse(rows[0]?.body ?? '')).toMatchObject({ data: labels });
  });

  it('are merged by PATCH: null removes a key, and what is absent stays', async () => {
    const { id } = (await add({ externalId: 'a', metadata: { one: '1', two: '2' } })).body;
    expect((await patch(id, { metadata: { two: null, three: '3' } })).body).toMatchObject({ externalId: 'a' });
    expect((await fixture.get(id)).metadata).toEqual({ one: '1', three: '3' });
    expect(await find('metadata[two]=2')).toEqual([]);
    expect(await find('metadata[three]=3&metadata[one]=1')).toEqual([id]);
    expect((await patch(id, { externalId: null })).body).toMatchObject({ externalId: null, metadata: { one: '1' } });
    expect(await find('externalId=a')).toEqual([]);
  });

  it('are at most sixteen, also when concurrent requests add them', async () => {
    const { id } = (await add({ metadata: keysTo(14) })).body;
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((key) => patch(id, { metadata: { [key]: 'v' } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400]);
    expect(Object.keys((await fixture.get(id)).metadata)).toHaveLength(16);
  });

  it.each<[string, object]>([
    ['seventeen keys', { metadata: keysTo(17) }],
    ['a key of 41 characters', { metadata: { ['k'.repeat(41)]: 'v' } }],
    ['a key with a bracket', { metadata: { 'a[b]': 'v' } }],
    ['a value of 513 bytes', { metadata: { k: 'é'.repeat(257) } }],
    ['an empty value', { metadata: { k: '' } }],
    ['a value that is no text', { metadata: { k: 5 } }],
    ['NUL', { metadata: { k: 'a\0b' } }],
    ['an empty id', { externalId: '' }],
    ['an id of 256 characters', { externalId: 'x'.repeat(256) }],
  ])('are refused with %s, and nothing is added', async (_name, body) => {
    const refused = await add(body);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_parameter']);
  });

  it('are not found after the domain was removed, nor by another organization', async () => {
    const { id } = (await add({ externalId: 'gone', metadata: { gone: 'yes' } })).body;
    const other = await fixture.api.createOrganization('pro');
    for (const query of ['externalId=gone', 'metadata[gone]=yes']) {
      expect(await find(query)).toEqual([id]);
      expect((await fixture.api.request('GET', `/v1/domains?${query}`, { key: other.key })).body).toEqual([]);
    }
    await fixture.api.request('DELETE', `${fixture.path()}/${id}`, { key: fixture.key });
    expect(await find('externalId=gone')).toEqual([]);
    expect(await find('metadata[gone]=yes')).toEqual([]);
    expect((await patch(id, { externalId: 'back' })).status).toBe(404);
  });

  it('are found on pages whose cursor belongs to them', async () => {
    for (let n = 0; n < 3; n++) await add({ metadata: { page: 'yes' } });
    const first = await fixture.api.request<Domain[]>('GET', '/v1/domains?limit=2&metadata[page]=yes', {
      key: fixture.key,
    });
    const [, next = ''] = /^<https:\/\/api\.example([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await fixture.api.request<Domain[]>('GET', next, { key: fixture.key });
    expect([first.body.length, second.body.length]).toEqual([2, 1]);
    const other = next.replace('yes', 'no');
    expect((await fixture.api.request('GET', other, { key: fixture.key })).body.code).toBe('invalid_cursor');
  });

  it.each(['metadata=x', 'metadata[a', 'metadata[]=x', 'name[a]=x', 'metadata[a][b]=x', 'state[x]=live'])(
    'are not searched by %s',
    async (query) => {
      const refused = await fixture.api.request('GET', `/v1/domains?${query}`, { key: fixture.key });
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_parameter']);
    },
  );
});

describe('a search by labels', () => {
  it.each<[string, DomainFilters, string]>([
    ['an external id', { externalId: 'same' }, 'domains_by_external_id'],
    ['metadata', { metadata: { same: 'yes' } }, 'domain_metadata_pkey'],
  ])('reads by %s the rows of its page, however many domains have it', async (_name, filters, index) => {
    const { db } = fixture.api;
    const { organizationId } = await fixture.api.createOrganization('enterprise');
    await sql`
      with project as (
        insert into projects (organization_id, name, slug) values (${organizationId}, 'P', ${index.replaceAll('_', '-')})
        returning id
      ), named as (
        select id as project_id, 'n' || lpad(n::text, 5, '0') || '.example.com' as name from project, generate_series(1, 3000) n
      ), claims as (
        insert into domain_claims (organization_id, name, target_token, ownership_token)
        select ${organizationId}, name, md5(name || ${index}), 'x' from named
      )
      insert into domains (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at,
        external_id, metadata)
      select ${organizationId}, project_id, name, name, 'example.com', now(), now(), 'same', '{"same": "yes"}' from named`.execute(
      db,
    );
    await sql`analyze domains, domain_metadata`.execute(db);
    for (const afterId of ['0', 'n01500.example.com']) {
      const query = domainsPageQuery({ organizationId, projectId: null }, filters);
      const scans = await explainScans(db, pageStatement(query, { limit: 20, afterId }));
      expect(scans.map((scan) => scan['Index Name'])).toContain(index);
      for (const scan of scans) expect(rowsRead(scan)).toBeLessThanOrEqual(21);
    }
  });
});
