import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

describe('a new domain', () => {
  it('shows the record to create and is checked automatically', async () => {
    const domain = await fixture.add('Docs.Example.COM.');
    expect(domain).toMatchObject({
      name: 'docs.example.com',
      apexName: 'example.com',
      state: 'awaiting_dns',
      certificate: null,
    });
    expect(domain.records).toEqual([
      {
        type: 'CNAME',
        name: 'docs',
        value: expect.stringMatching(/^[a-z2-7]{20}\.cname\.pets\.localhost$/),
        ttl: 3600,
        purpose: 'routing',
      },
    ]);
    const job = await fixture.worker.nextJob('verify-dns', domain.id);
    expect(job.expected).toMatchObject({ name: 'docs.example.com', targetHost: domain.records[0]?.value });
  });

  it('is found by name as well as by id', async () => {
    const { id, name } = await fixture.add(fixture.freshName());
    expect((await fixture.get(name.toUpperCase())).id).toBe(id);
    expect((await fixture.get(`${name}.`)).id).toBe(id);
  });

  it('is found by either form of an international name, and by names of full length', async () => {
    const { id } = await fixture.add('bücher.example.com');
    expect((await fixture.get('xn--bcher-kva.example.com')).id).toBe(id);
    expect((await fixture.get(encodeURIComponent('bücher.example.com'))).id).toBe(id);
    expect((await fixture.get(encodeURIComponent('ｂüｃｈｅｒ．example.com'))).id).toBe(id);
    const long = await fixture.add(
      `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(49)}.example.com`,
    );
    expect(long.name).toHaveLength(253);
    expect((await fixture.get(`${long.name}.`)).id).toBe(long.id);
    // No other record has room below such a name.
    expect(long.records.map(({ purpose }) => purpose)).toEqual(['routing']);
  });

  it.each(['%00', 'a%00b', '%20', '%ED%A0%80', 'nobody.example.com'])(
    'answers 404 for %s, which names nothing',
    async (key) => {
      const answer = await fixture.api.request('GET', `${fixture.path()}/${key}`, { key: fixture.key });
      expect([400, 404]).toContain(answer.status);
      expect(answer.body.code).toBeDefined();
    },
  );

  it.each<[string, unknown, number, string]>([
    ['no name', {}, 400, 'invalid_parameter'],
    ['a name that is no string', { name: 5 }, 400, 'invalid_parameter'],
    ['what is no host name', { name: 'not a host' }, 400, 'invalid_domain'],
    ['a wildcard', { name: '*.example.com' }, 409, 'wildcard_needs_dns_challenge'],
    ['a wildcard of a public suffix', { name: '*.co.uk' }, 400, 'invalid_domain'],
    ['an address', { name: '127.0.0.1' }, 400, 'invalid_domain'],
    ['a public suffix', { name: 'co.uk' }, 400, 'invalid_domain'],
    ['a name of the platform', { name: 'x.pets.localhost' }, 400, 'invalid_domain'],
  ])('refuses %s', async (_name, body, status, code) => {
    const refused = await fixture.api.request('POST', fixture.path(), { key: fixture.key, body });
    expect(refused.status).toBe(status);
    expect(refused.body.code).toEqual(code);
  });

  it('is refused on a free plan, and nothing is stored', async () => {
    const free = await fixture.api.createOrganization('free');
    const id = await fixture.createProject(free.key, true);
    const refused = await fixture.api.request('POST', fixture.path(id), {
      key: free.key,
      body: { name: fixture.freshName() },
    });
    expect(refused.status).toBe(403);
    expect(refused.body.code).toBe('plan_required');
    expect((await fixture.api.request('GET', fixture.path(id), { key: free.key })).body).toEqual([]);
  });

  it('is refused for a project without a deployment', async () => {
    const id = await fixture.createProject(fixture.key, false);
    const refused = await fixture.api.request('POST', fixture.path(id), {
      key: fixture.key,
      body: { name: fixture.freshName() },
    });
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe('deployment_required');
  });

  it('is refused when the organization already has the name in any spelling', async () => {
    const { name } = await fixture.add(fixture.freshName());
    const refused = await fixture.api.request('POST', fixture.path(), {
      key: fixture.key,
      body: { name: `${name.toUpperCase()}.` },
    });
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe('domain_exists');
  });

  it('is inserted once by fifty concurrent requests', async () => {
    const name = fixture.freshName();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        fixture.api.request('POST', fixture.path(), { key: fixture.key, body: { name } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(49).fill(409)]);
  });

  it('has another target in each organization', async () => {
    const mine = await fixture.add(fixture.freshName());
    const other = await fixture.api.createOrganization('pro');
    const theirs = (
      await fixture.api.request<Domain>('POST', fixture.path(await fixture.createProject(other.key, true)), {
        key: other.key,
        body: { name: mine.name },
      })
    ).body;
    expect(theirs.records[0]?.value).not.toBe(mine.records[0]?.value);
  });
});

describe('another organization', () => {
  it('gets the same answer for a domain as for a missing one', async () => {
    const { id } = await fixture.add(fixture.freshName());
    const other = await fixture.api.createOrganization('pro');
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/events'],
      ['POST', '/verify'],
      ['POST', '/reverify'],
    ] as const) {
      expect((await fixture.api.request(method, `${fixture.path()}/${id}${path}`, { key: other.key })).status).toBe(
        404,
      );
    }
    expect((await fixture.get(id)).state).toBe('awaiting_dns');
  });
});
