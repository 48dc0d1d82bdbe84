/**
 * Publishing what a change touches leaves nothing to publish: after each of many random changes, compiling and comparing
 * every route of every project finds no difference.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainTrigger, WorkKind } from '@pets/domains';
import type { Database } from '@pets/persistence';
import fc from 'fast-check';
import { sql } from 'kysely';
import { createSuspensionsService } from '../../src/operations/admin/suspension-commands.js';
import { FeedRoutePublisher } from '../../src/edge/feed-route-publisher.js';
import { domainsStatement, routesStatement } from '../../src/edge/routable-projects.repository.js';
import { LifecycleService } from '../../src/lifecycle/lifecycle.service.js';
import { ProjectsRepository } from '../../src/projects/projects.repository.js';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { adminConfig } from '../operations/operator-fixture.js';
import { makeBundle } from '../projects/bundles.js';
import { explainScans, rowsRead } from '../query-plan.js';

const RUNS = Number(process.env['PUBLICATION_RUNS'] ?? 3);
const HOSTS = 6;
/** Names of projects to publish. */
const LARGE = 5_000;
const KEPT = 25;

let fixture: DomainFixture;
beforeAll(async () => void (fixture = await startDomainFixture()));
afterAll(() => fixture.close());

/** Two projects of one organization and one of another, which add the same names: three pairs of an apex and its `www.`. */
interface Scene {
  readonly owners: readonly Tenant[];
  readonly names: readonly string[];
}

let scenes = 0;
let attempts = 1_000_000;
async function startScene(): Promise<Scene> {
  const [one, other] = [await fixture.tenant(), await fixture.tenant()];
  const second = { ...one, projectId: await fixture.createProject(one.key, true) };
  const scene = `s${++scenes}`;
  const names = ['a', 'b', 'c'].map((letter) => `${scene}${letter}.com`);
  return { owners: [one, second, other], names: names.flatMap((name) => [name, `www.${name}`]) };
}

const host = fc.nat(HOSTS - 1);
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add'), owner: fc.nat(2), host, pair: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('verify'), hosts: fc.array(host, { minLength: 1, maxLength: 4 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('issue'), hosts: fc.array(host, { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('serve'), host }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('expire'), host }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), owner: fc.nat(2), host }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('preview'), owner: fc.nat(2), channel: fc.nat(1), page: fc.nat(2) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end'), owner: fc.nat(2), channel: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('bind'), owner: fc.nat(2), host, bound: fc.option(fc.nat(1)) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('suspend'), host, resumes: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('configure'),
      owner: fc.nat(2),
      primary: fc.option(host),
      platformRedirect: fc.boolean(),
      redirects: fc.uniqueArray(fc.tuple(host, fc.nat(HOSTS)), { selector: ([from]) => from, maxLength: 4 }),
    }),
  },
);
type Change = typeof change extends fc.Arbitrary<infer Kind> ? Kind : never;

/** Every kind of route, before the random changes. */
const hosts = Array.from({ length: HOSTS }, (_, index) => index);
const beginning: readonly Change[] = [
  ...hosts.map((at): Change => ({ kind: 'add', owner: 0, host: at, pair: false })),
  { kind: 'verify', hosts: hosts.slice(1) },
  { kind: 'issue', hosts: hosts.slice(2) },
  { kind: 'configure', owner: 0, primary: 3, platformRedirect: true, redirects: [[2, 3]] },
  { kind: 'suspend', host: 4, resumes: false },
  { kind: 'preview', owner: 0, channel: 0, page: 0 },
  { kind: 'bind', owner: 0, host: 3, bound: 0 },
];

async function apply({ owners, names }: Scene, one: Change): Promise<void> {
  const { api } = fixture;
  const nameOf = (index: number) => names[index] ?? '';
  const ownerOf = (index: number) => {
    const owner = owners[index];
    if (owner === undefined) throw new Error(`there is no owner ${index}`);
    return owner;
  };
  if ('hosts' in one) {
    // At once, so that the results share transactions.
    await Promise.all(one.hosts.map((at) => report(nameOf(at), one.kind === 'verify' ? verified : issued)));
  } else if (one.kind === 'add' && 'pair' in one) {
    const { key, projectId } = ownerOf(one.owner);
    const body = { name: nameOf(one.host), pair: one.pair };
    await api.request('POST', `/v1/projects/${projectId}/domains`, { key, body });
  } else if ('redirects' in one) {
    const { key, projectId } = ownerOf(one.owner);
    const { slug } = (await api.request<{ slug: string }>('GET', `/v1/projects/${projectId}`, { key })).body;
    const listed = await api.request<{ name: string }[]>('GET', `/v1/projects/${projectId}/domains`, { key });
    const own = listed.body.map(({ name }) => name);
    if (own.length < 2) return;
    const ownName = (index: number) => own[index % own.length];
    const redirects = one.redirects.map(([from, to]) => ({
      from: ownName(from),
      to: to === HOSTS ? `${slug}.pets.localhost` : ownName(to),
      status: 301,
    }));
    const primary = one.primary === null ? {} : { primary: ownName(one.primary) };
    const platformRedirect = one.platformRedirect && one.primary !== null;
    const body = {
      domains: { ...primary, redirects: redirects.filter(({ from, to }) => from !== to) },
      platformRedirect,
    };
    await api.request('PUT', `/v1/projects/${projectId}/domain-config`, { key, body });
  } else if ('resumes' in one) {
    const { rows } = await sql<{ id: string }>`
      select distinct organization_id as id from domains where name = ${nameOf(one.host)}`.execute(api.db);
    const service = await createSuspensionsService({ db: api.db, config: adminConfig });
    for (const { id: organizationId } of rows) {
      const target = { organizationId, name: nameOf(one.host) };
      const suspension = { cause: 'operator', reason: 'x', renewsUntil: null, by: null } as const;
      await (one.resumes
        ? service.resume(target, 'operator', new Date())
        : service.suspend(target, suspension, new Date()));
    }
  } else if ('page' in one) {
    const { key, projectId } = ownerOf(one.owner);
    const body = makeBundle([{ path: 'index.html', content: `page ${one.page}` }]);
    const headers = { 'content-type': 'application/gzip' };
    const path = `/v1/projects/${projectId}/deployments?channel=channel-${one.channel}`;
    await api.request('POST', path, { key, body, headers });
  } else if ('bound' in one) {
    const { key, projectId } = ownerOf(one.owner);
    const body = { channel: one.bound === null ? null : `channel-${one.bound}` };
    await api.request('PATCH', `/v1/projects/${projectId}/domains/${nameOf(one.host)}`, { key, body });
  } else if ('channel' in one) {
    const { key, projectId } = ownerOf(one.owner);
    await api.request('DELETE', `/v1/projects/${projectId}/channels/channel-${one.channel}`, { key });
  } else if (one.kind === 'remove' && 'owner' in one) {
    const { key, projectId } = ownerOf(one.owner);
    await api.request('DELETE', `/v1/projects/${projectId}/domains/${nameOf(one.host)}`, { key });
  } else {
    await report(nameOf(one.host), one.kind === 'serve' ? served : expired);
  }
}

type Report = readonly [WorkKind, (db: Database, domainId: string) => Promise<DomainTrigger>];

const verified: Report = [
  'dns',
  async () => ({
    type: 'dns.checked',
    dns: { kind: 'matches', by: 'target' },
    ownership: { verdict: { kind: 'proven' }, host: '', token: '' },
    isClaimedElsewhere: true,
  }),
];

const issued: Report = [
  'issuance',
  async (db, id) => {
    await sql`
      insert into certificates (origin, domain_id, organization_id, name, apex_name, generation, attempt, state, directory_url,
        account_thumbprint, csr_pem, chain_pem, sealed_key, ordered, issued_at, not_before, not_after)
      select 'ordered', id, organization_id, name, apex_name, generation, ${++attempts}, 'issued', '', '', 'c', 'c', 'k', true,
        clock_timestamp(), now() - interval '1 day', now() + interval '90 days'
      from domains where id = ${id}`.execute(db);
    return { type: 'certificate.issued', renewAt: new Date(Date.now() + 1e9) };
  },
];

const served: Report = ['probe', async () => ({ type: 'certificate.served' })];

/** The first result after the certificate has ended sends the alert, except under a suspension: then nobody could renew it. */
const expired: Report = [
  'dns',
  async () => ({
    type: 'dns.checked',
    dns: { kind: 'unknown', issues: [] },
    ownership: null,
    isClaimedElsewhere: false,
  }),
];

async function report(name: string, result: Report): Promise<void> {
  const { api } = fixture;
  const [kind, trigger] = result;
  const { rows } = await sql<{ id: string; generation: number }>`
    select id, generation from domains where name = ${name} and state <> 'removed'
      and (state = 'awaiting_dns') = ${result === verified}
      and (${result !== expired} or not exists (
        select from suspensions s where s.organization_id = domains.organization_id and s.name = domains.name
      )) order by id`.execute(api.db);
  const [domain] = rows;
  if (domain === undefined) return;
  if (result === expired)
    await sql`update certificates set not_after = now() - interval '1 hour' where domain_id = ${domain.id}`.execute(
      api.db,
    );
  const attempt = { domainId: domain.id, generation: domain.generation, attempt: ++attempts };
  await sql`
    insert into domain_work (domain_id, kind, organization_id, priority)
    select id, ${kind}, organization_id, 3 from domains where id = ${domain.id} on conflict do nothing`.execute(api.db);
  const findings = { type: 'decided', trigger: await trigger(api.db, domain.id) } as const;
  await api.service(LifecycleService).applyResult(kind, attempt, findings);
}

async function publishEverything({ owners }: Scene): Promise<object[]> {
  const { api } = fixture;
  return api.db.transaction().execute(async (tx) => {
    const projects = await new ProjectsRepository(tx).lockAll(
      tx,
      owners.map(({ projectId }) => projectId),
    );
    const changes = [...projects.values()].map((project) => ({ project }));
    const version = await api.service(FeedRoutePublisher).publish(tx, changes);
    if (version === null) return [];
    return tx.selectFrom('edge_routes').selectAll().where('version', '=', BigInt(version)).execute();
  });
}

async function kindsOfRoutes(): Promise<(string | null)[]> {
  const { rows } = await sql<{ kind: string | null }>`
    select distinct route -> 'serve' ->> 'kind' as kind from edge_routes`.execute(fixture.api.db);
  return rows.map(({ kind }) => kind);
}

it('publishes by change exactly the routes of publishing everything', async () => {
  const seen = new Set<string | null>();
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 40 }), async (changes) => {
      const scene = await startScene();
      for (const one of [...beginning, ...changes]) {
        await apply(scene, one);
        expect({ one, missed: await publishEverything(scene) }).toEqual({ one, missed: [] });
        for (const kind of await kindsOfRoutes()) seen.add(kind);
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect([...seen]).toEqual(expect.arrayContaining(['site', 'redirect', 'suspended', null]));
}, 600_000);

describe('the statements of a publication', () => {
  beforeAll(async () => {
    await fixture.api.db.transaction().execute(async (tx) => {
      for (const statement of seed) await sql.raw(statement).execute(tx);
    });
    await sql.raw('vacuum analyze').execute(fixture.api.db);
  });

  it.each([
    ['one name of a large project', 'large', new Set(['d9.large.example']), 1],
    ['a project with few names and many that were removed', 'removed', 'all', KEPT],
  ] as const)('read only the domains and routes of %s', async (_case, slug, scope, count) => {
    const { db } = fixture.api;
    const { id } = await db.selectFrom('projects').select('id').where('slug', '=', slug).executeTakeFirstOrThrow();
    for (const statement of [domainsStatement(new Map([[id, scope]])), routesStatement(new Map([[id, scope]]))]) {
      const scans = (await explainScans(db, statement)).filter(
        ({ 'Actual Rows': rows }) => rows !== undefined && rows > 0,
      );
      const tables = scans.filter((scan) => ['domains', 'edge_routes'].includes(scan['Relation Name'] ?? ''));
      expect(tables.map(rowsRead)).toEqual([count]);
    }
  });
});

/** A large project, one with as many removed domains, and many small ones. */
const seed = [
  `create temp table given on commit drop as
  select o.id as organization_id, slug, names, kept
  from (select id from organizations limit 1) o, (
    values ('large', ${LARGE}, ${LARGE}), ('removed', ${LARGE}, ${KEPT})
    union all select 'small' || n, 20, 20 from generate_series(1, 300) n
  ) v (slug, names, kept)`,
  `insert into projects (organization_id, name, slug) select organization_id, slug, slug from given`,
  `insert into domain_claims (organization_id, name, target_token, ownership_token)
  select organization_id, 'd' || n || '.' || slug || '.example', n || slug, n || slug
  from given, generate_series(1, names) n`,
  `insert into domains
    (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at, state)
  select p.organization_id, p.id, 'd' || n || '.' || slug || '.example', '', '', now(), now(),
    case when n <= kept then 'live' else 'removed' end
  from given join projects p using (slug), generate_series(1, names) n`,
  `insert into edge_routes (host, project_id, version, route)
  select name, project_id, 1, case when state = 'live' then '{}'::jsonb end
  from domains where apex_name = ''`,
];
