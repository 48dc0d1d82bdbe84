import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Domain, DomainCounts } from '@pets/contracts';
import { openDatabase } from '@pets/persistence';
import { sql } from 'kysely';
import { domainsPageQuery, type DomainFilters, type ListScope } from '../../src/domains/domain-lists.repository.js';
import { changedStatement } from '../../src/events/streams/project-changes.repository.js';
import { pageStatement } from '../../src/http/paging/keyset.js';
import type { TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';
import { explainScans, rowsRead } from '../query-plan.js';

const NAMES = 20_000;
const LIMIT = 20;
/** Rows that a page reads at most, where a filter has no index. */
const SCANNED = 1_000;

let api: TestApi;
let key: string;
let organizationId: string;
let projectId: string;

beforeAll(async () => {
  api = await shareTestApi();
  ({ key, organizationId } = await api.createOrganization('enterprise'));
  await sql.raw(projectsOf(organizationId)).execute(api.db);
  const { rows } = await sql<{ id: string }>`select id from projects where slug = 'large'`.execute(api.db);
  projectId = rows[0]?.id ?? '';
  // A connection of its own: those of the API are given up when an answer takes long.
  const seeding = openDatabase({ url: api.databaseUrl, onConnectionError: () => undefined, abortUnresponsive: false });
  await seeding.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql.raw(seed).execute(tx);
  });
  await sql.raw('analyze').execute(seeding);
  await seeding.destroy();
}, 60_000);
afterAll(() => api.close());

/**
 * Inserts of domains: one in a hundred waits, one in 4 000 is misconfigured, one in 2 000 has a certificate that ends,
 * and each has had a change without a line of history.
 */
const projectsOf = (id: string) => `
  insert into projects (organization_id, name, slug) values ('${id}', 'Large', 'large'), ('${id}', 'Small', 'small')`;
const seed = `
  create temporary table seeded on commit drop as
    select gen_random_uuid() as id, p.id as project_id, p.organization_id, n,
      'n' || lpad(n::text, 6, '0') || '.' || p.slug || '.example.com' as name
    from projects p, generate_series(1, case p.slug when 'large' then ${NAMES} else 30 end) as n;
  insert into domain_claims (organization_id, name, target_token, ownership_token)
    select organization_id, name, md5(name), 'x' from seeded;
  insert into domains (id, organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at,
      created_at, state, misconfigured)
    select id, organization_id, project_id, name, name, 'example.com', now(), now(),
      now() - (n / 100) * interval '1 minute', case when n % 100 = 0 then 'awaiting_dns' else 'live' end, n % 4000 = 1
    from seeded;
  insert into domain_changes (domain_id, project_id, number) select id, project_id, 1 from seeded;
  insert into certificates (origin, domain_id, organization_id, name, apex_name, generation, attempt, state, directory_url,
      account_thumbprint, csr_pem, sealed_key, issued_at, not_before, not_after)
    select 'ordered', id, organization_id, name, 'example.com', 1, 1, 'issued', 'http://ca.test/dir', '', '', '', now(), now(),
      now() + case when n % 2000 = 1 then 5 else 60 end * interval '1 day'
    from seeded where n % 100 <> 0;`;

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const list = (query: string, path = `/v1/projects/${projectId}/domains`) =>
  api.request<Domain[] & ApiError>('GET', `${path}?${query}`, { key });
const nextOf = (headers: Headers) =>
  /^<https:\/\/api\.example[^?>]+\?([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

/** The names on all pages, and how many pages there were. */
async function readAll(query: string, path?: string): Promise<{ names: string[]; pages: number }> {
  const names: string[] = [];
  let pages = 0;
  for (let next: string | undefined = query; next !== undefined; pages++) {
    const { status, body, headers, text } = await list(next, path);
    if (status !== 200) throw new Error(text);
    names.push(...body.map(({ name }) => name));
    next = nextOf(headers);
  }
  return { names, pages };
}

const name = (n: number) => `n${String(n).padStart(6, '0')}.large.example.com`;
const every = (step: number, first: number) =>
  Array.from({ length: NAMES / step }, (_, index) => name(first + index * step));

describe('the changes of the domains of a project', () => {
  it('are read without the domains that have not changed', async () => {
    await sql`
      update domain_changes set number = 7
      where domain_id = (select id from domains where project_id = ${projectId} and name = ${name(5)})`.execute(api.db);
    const statement = changedStatement([{ projectId, eventNumber: 0n, changeNumber: 6n }]);
    const scans = (await explainScans(api.db, statement)).filter(
      (scan) => scan['Relation Name'] === 'domain_changes' || scan['Index Name'] === 'domain_changes_by_number',
    );
    expect(scans.map((scan) => scan['Index Name'])).toContain('domain_changes_by_number');
    for (const scan of scans) expect(rowsRead(scan)).toBeLessThanOrEqual(1);
    expect((await statement.execute(api.db)).rows).toHaveLength(1);
  });
});

describe('the list of the domains of a project', () => {
  it('has every name once, in either order of names', async () => {
    const ascending = await readAll('limit=100&sort=name&q=n0190');
    expect(ascending.names).toEqual(Array.from({ length: 100 }, (_, n) => name(19_000 + n)));
    const descending = await readAll('limit=30&sort=-name&q=N0190');
    expect(descending.names).toEqual(ascending.names.toReversed());
    expect(descending.pages).toBe(4);
  });

  it('has every name once in the order of creation, where many have the same time', async () => {
    const { names } = await readAll('limit=100&state=awaiting_dns');
    expect(names.toSorted()).toEqual(every(100, 100));
    expect(new Set(names).size).toBe(names.length);
    const newest = await readAll('limit=100&state=awaiting_dns&sort=-createdAt');
    expect(newest.names).toEqual(names.toReversed());
  });

  it('finds misconfigured domains, also together with a state', async () => {
    expect((await readAll('misconfigured=true')).names.toSorted()).toEqual(every(4000, 1));
    expect((await readAll('misconfigured=true&state=awaiting_dns')).names).toEqual([]);
  });

  it('finds certificates that expire, on pages that may be empty but say where to go on', async () => {
    const { names, pages } = await readAll(`limit=100&expiresBefore=${inDays(10)}`);
    expect(names.toSorted()).toEqual(every(2000, 1));
    expect(pages).toBeGreaterThanOrEqual(NAMES / SCANNED);
  });

  it('is complete without parameters up to a thousand, and says where to go on', async () => {
    const { body, headers } = await api.request<Domain[]>('GET', `/v1/projects/${projectId}/domains`, { key });
    expect(body).toHaveLength(1_000);
    expect(nextOf(headers)).toMatch(/^cursor=/);
  });

  it.each([
    'limit=0',
    'state=removed',
    'misconfigured=yes',
    'q=%00',
    'q=b%C3%BCcher',
    'expiresBefore=soon',
    'sort=state',
    'order=name',
  ])('refuses %s', async (query) => {
    expect((await list(query)).body.code).toBe('invalid_parameter');
  });

  it('refuses a cursor of other filters or another order', async () => {
    const next = new URLSearchParams(nextOf((await list('limit=2&state=live')).headers));
    const cursor = next.get('cursor') ?? '';
    for (const other of ['limit=2', 'limit=2&state=verified', 'limit=2&state=live&sort=name'])
      expect((await list(`${other}&cursor=${cursor}`)).body.code).toBe('invalid_cursor');
  });
});

describe('the domains of an organization', () => {
  it.each([name(7), name(7).toUpperCase(), `${name(7)}.`])('are found by the name %s', async (written) => {
    const { body, headers } = await list(`name=${written}`, '/v1/domains');
    expect(body).toMatchObject([{ name: name(7), projectId }]);
    expect(nextOf(headers)).toBeUndefined();
  });

  it('are not found by the name of another organization, nor by what is no name', async () => {
    const other = await api.createOrganization('pro');
    expect((await api.request('GET', `/v1/domains?name=${name(7)}`, { key: other.key })).body).toEqual([]);
    for (const written of ['nobody.example.com', 'a%20b'])
      expect((await list(`name=${written}`, '/v1/domains')).body).toEqual([]);
    expect((await list('name=%00', '/v1/domains')).status).toBe(400);
  });

  it('are found by a part of the name', async () => {
    const { names } = await readAll(`limit=20&contains=${name(7).slice(1)}`, '/v1/domains');
    expect(names).toEqual([name(7)]);
    expect((await list('contains=a%20b', '/v1/domains')).body).toMatchObject({ code: 'invalid_parameter' });
  });

  it('are listed by name across projects', async () => {
    const { names } = await readAll('limit=20&q=n00002', '/v1/domains');
    expect(names).toHaveLength(20);
    expect(names.toSorted()).toEqual(names);
    expect(names.filter((each) => each.includes('.small.'))).toHaveLength(10);
  });
});

it('the counts of a project are those of its list', async () => {
  const { body } = await api.request<DomainCounts>('GET', `/v1/projects/${projectId}/domain-counts`, { key });
  const waiting = NAMES / 100;
  expect(body).toEqual({
    total: NAMES,
    byState: { awaiting_dns: waiting, verified: 0, live: NAMES - waiting },
    misconfigured: NAMES / 4000,
  });
});

describe('a page reads', () => {
  const scans = async (scope: ListScope, filters: DomainFilters, afterId = '0') => {
    const found = await explainScans(
      api.db,
      pageStatement(domainsPageQuery(scope, filters), { limit: LIMIT, afterId }),
    );
    return found.filter((scan) => scan['Relation Name'] !== undefined);
  };
  const middle = `${(Date.now() - 100 * 60_000) * 1_000} 00000000-0000-0000-0000-000000000000`;
  const ofProject = () => ({ organizationId, projectId });
  const ofOrganization = () => ({ organizationId, projectId: null });

  it.each<[string, () => ListScope, DomainFilters, string, string]>([
    ['the order of creation', ofProject, {}, 'domains_kept', middle],
    ['the newest first', ofProject, { sort: '-createdAt' }, 'domains_kept', middle],
    ['a state', ofProject, { state: 'awaiting_dns' }, 'domains_kept_by_state', middle],
    ['names', ofProject, { sort: 'name' }, 'domains_by_name', name(10_000)],
    ['names backwards', ofProject, { sort: '-name' }, 'domains_by_name', name(10_000)],
    ['a prefix', ofProject, { q: 'n0100' }, 'domains_by_name', name(10_010)],
    ['names of the organization', ofOrganization, {}, 'domains_by_organization_name', name(10_000)],
    ['a prefix in the organization', ofOrganization, { q: 'n0100' }, 'domains_by_organization_name', name(10_010)],
  ])('%s by its index, and one row more than it has', async (_name, scope, filters, index, afterId) => {
    for (const start of ['0', afterId]) {
      const found = await scans(scope(), filters, start);
      expect(found.map((scan) => scan['Index Name'])).toEqual([index]);
      expect(rowsRead(found[0])).toBeLessThanOrEqual(LIMIT + 1);
    }
  });

  it('misconfigured domains and one name without reading others', async () => {
    for (const scan of await scans(ofProject(), { misconfigured: true })) expect(rowsRead(scan)).toBeLessThanOrEqual(5);
    for (const scan of await scans(ofOrganization(), { name: name(7) })) expect(rowsRead(scan)).toBeLessThanOrEqual(1);
  });

  it('a bounded number of rows where a filter has no index', async () => {
    const filters: DomainFilters[] = [
      { misconfigured: false, state: 'awaiting_dns', sort: 'name' },
      { expiresBefore: inDays(1) },
      { q: 'zzz', sort: 'createdAt' },
      { contains: 'zzz' },
      { contains: 'zzz', sort: 'name' },
    ];
    for (const filter of filters)
      for (const scan of await scans(ofProject(), filter)) expect(rowsRead(scan)).toBeLessThanOrEqual(SCANNED);
  });
});
