import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain, DomainJobs } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { site } from './bundles.js';
import { startTestApi, type TestApi } from './harness.js';
import {
  attemptOf,
  emptyFindings,
  matchingFindings,
  signRequest,
  startScriptedWorker,
  type ScriptedWorker,
} from './scripted-worker.js';

let api: TestApi;
let worker: ScriptedWorker;
let key: string;
let projectId: string;
let count = 0;

const directoryUrl = 'http://ca.test/dir';

beforeAll(async () => {
  api = await startTestApi();
  worker = startScriptedWorker(api.messaging);
  ({ key } = await api.createOrganization('pro'));
  projectId = await createProject(key, true);
  await api.messaging.events.emit('account.ready', {
    directoryUrl,
    accountUrl: 'http://ca.test/acct/1',
    thumbprint: 'thumb',
  });
});
afterAll(async () => {
  await worker.close();
  await api.close();
});

async function createProject(as: string, deployed: boolean): Promise<string> {
  const id = (await api.request('POST', '/v1/projects', { key: as, body: { name: 'P', slug: `p-${++count}` } })).body
    .id as string;
  if (deployed) {
    const headers = { 'content-type': 'application/gzip' };
    await api.request('POST', `/v1/projects/${id}/deployments`, { key: as, body: site, headers });
  }
  return id;
}

const domains = (id = projectId) => `/v1/projects/${id}/domains`;
const add = async (name: string) => (await api.request('POST', domains(), { key, body: { name } })).body as Domain;
const get = async (id: string) => (await api.request('GET', `${domains()}/${id}`, { key })).body as Domain;
const click = (id: string, action: 'verify' | 'reverify') =>
  api.request('POST', `${domains()}/${id}/${action}`, { key });
const freshName = () => `d${++count}.example.com`;
const untilState = (id: string, state: string) =>
  waitUntil(async () => (await get(id)).state === state, { timeoutMs: 15_000, message: state });

async function verified(): Promise<{ id: string; name: string; issue: DomainJobs['issue-certificate'] }> {
  const { id, name } = await add(freshName());
  const job = await worker.nextJob('verify-dns', id);
  await api.messaging.events.emit('dns.checked', { ...attemptOf(job), findings: matchingFindings(job.expected) });
  return { id, name, issue: await worker.nextJob('issue-certificate', id) };
}

describe('adding a domain', () => {
  it('shows the record to create and starts looking for it by itself', async () => {
    const domain = await add('Docs.Example.COM.');
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
        value: expect.stringMatching(/^[0-9a-f]{40}\.cname\.pets\.localhost$/),
        ttl: 3600,
        purpose: 'routing',
      },
    ]);
    const job = await worker.nextJob('verify-dns', domain.id);
    expect(job.expected).toMatchObject({ name: 'docs.example.com', targetHost: domain.records[0]?.value });
  });

  it('is found by name as well as by id', async () => {
    const { id, name } = await add(freshName());
    expect((await get(name.toUpperCase())).id).toBe(id);
  });

  it.each<[string, unknown, number, string]>([
    ['no name', {}, 400, 'invalid_parameter'],
    ['a name that is no string', { name: 5 }, 400, 'invalid_parameter'],
    ['what is no host name', { name: 'not a host' }, 400, 'invalid_domain'],
    ['an address', { name: '127.0.0.1' }, 400, 'invalid_domain'],
    ['a public suffix', { name: 'co.uk' }, 400, 'invalid_domain'],
    ['a name of the platform', { name: 'x.pets.localhost' }, 400, 'invalid_domain'],
  ])('refuses %s', async (_name, body, status, code) => {
    const refused = await api.request('POST', domains(), { key, body });
    expect([refused.status, refused.body.code]).toEqual([status, code]);
  });

  it('refuses a free plan, and keeps nothing of it', async () => {
    const free = await api.createOrganization('free');
    const id = await createProject(free.key, true);
    const refused = await api.request('POST', domains(id), { key: free.key, body: { name: freshName() } });
    expect([refused.status, refused.body.code]).toEqual([403, 'plan_required']);
    expect((await api.request('GET', domains(id), { key: free.key })).body).toEqual([]);
  });

  it('refuses a project without a deployment', async () => {
    const id = await createProject(key, false);
    const refused = await api.request('POST', domains(id), { key, body: { name: freshName() } });
    expect([refused.status, refused.body.code]).toEqual([409, 'deployment_required']);
  });

  it('refuses a name the organization has already, however it is written', async () => {
    const { name } = await add(freshName());
    const refused = await api.request('POST', domains(), { key, body: { name: `${name.toUpperCase()}.` } });
    expect([refused.status, refused.body.code]).toEqual([409, 'domain_exists']);
  });

  it('makes one row of fifty requests at once', async () => {
    const name = freshName();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.request('POST', domains(), { key, body: { name } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(49).fill(409)]);
  });

  it('refuses the fifty-first domain of a project', async () => {
    const full = await createProject(key, true);
    const names = Array.from({ length: 50 }, freshName);
    await Promise.all(names.map((name) => api.request('POST', domains(full), { key, body: { name } })));
    const refused = await api.request('POST', domains(full), { key, body: { name: freshName() } });
    expect([refused.status, refused.body.code]).toEqual([403, 'domain_limit_reached']);
  });

  it('gives two organizations different targets for one name', async () => {
    const mine = await add(freshName());
    const other = await api.createOrganization('pro');
    const theirs = (
      await api.request('POST', domains(await createProject(other.key, true)), {
        key: other.key,
        body: { name: mine.name },
      })
    ).body as Domain;
    expect(theirs.records[0]?.value).not.toBe(mine.records[0]?.value);
  });
});

describe('verification', () => {
  it('stores the diagnosis and looks again by itself', async () => {
    const { id } = await add(freshName());
    const job = await worker.nextJob('verify-dns', id);
    await api.messaging.events.emit('dns.checked', { ...attemptOf(job), findings: emptyFindings(job.expected) });
    await waitUntil(async () => (await get(id)).issues.length > 0, { timeoutMs: 15_000, message: 'the diagnosis' });
    const domain = await get(id);
    expect(domain.issues[0]).toMatchObject({
      code: 'no_record',
      remediation: expect.stringContaining(job.expected.targetHost),
    });
    expect(domain.dns.nextCheckAt).not.toBeNull();
    expect((await worker.nextJob('verify-dns', id)).attempt).toBe(job.attempt + 1);
  });

  it('is asked for by a click, which answers 202 at once', async () => {
    const { id } = await add(freshName());
    const first = await worker.nextJob('verify-dns', id);
    const clicked = await click(id, 'verify');
    expect([clicked.status, (clicked.body as Domain).dns.requestedAt]).toEqual([202, expect.any(String)]);
    // The look-up under way began before the click, so its "no" does not answer the click.
    await api.messaging.events.emit('dns.checked', { ...attemptOf(first), findings: emptyFindings(first.expected) });
    const second = await worker.nextJob('verify-dns', id);
    await api.messaging.events.emit('dns.checked', {
      ...attemptOf(second),
      findings: matchingFindings(second.expected),
    });
    await untilState(id, 'verified');
  });

  it('starts issuance at once, with a request for the name and a key that only the database has, sealed', async () => {
    const { id, name, issue } = await verified();
    expect(issue).toMatchObject({ generation: 2, attempt: 1, directoryUrl, expected: { name } });
    const { rows } = await sql<{
      row: string;
    }>`select certificates::text as row from certificates where domain_id = ${id}`.execute(api.db);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain('PRIVATE KEY');
    expect(await signRequest(issue.csrPem, name)).toContain('BEGIN CERTIFICATE');
  });

  it('writes the history in order, without gaps', async () => {
    const { id } = await verified();
    const { body } = await api.request('GET', `${domains()}/${id}/events`, { key });
    expect(
      (body as { type: string; from: string; to: string }[]).map(({ type, from, to }) => [type, from, to]),
    ).toEqual([
      ['owner.added', null, 'awaiting_dns'],
      ['dns.checked', 'awaiting_dns', 'verified'],
    ]);
  });

  it('waits while another organization holds the name, with the reason', async () => {
    const { name } = await verified();
    const other = await api.createOrganization('pro');
    const otherProject = await createProject(other.key, true);
    const theirs = (await api.request('POST', domains(otherProject), { key: other.key, body: { name } }))
      .body as Domain;
    expect(theirs.ownership).toMatchObject({ required: true, state: 'pending', record: { type: 'TXT' } });
    const job = await worker.nextJob('verify-dns', theirs.id);
    expect(job.expected.ownershipHost).toBe(`_platform-challenge.${name}`);
    await api.messaging.events.emit('dns.checked', { ...attemptOf(job), findings: matchingFindings(job.expected) });
    const path = `${domains(otherProject)}/${theirs.id}`;
    const seen = async () => (await api.request('GET', path, { key: other.key })).body as Domain;
    await waitUntil(async () => (await seen()).issues.length > 0, { timeoutMs: 15_000, message: 'the issues' });
    expect((await seen()).issues.map(({ code }) => code)).toContain('claimed_elsewhere');
    expect((await seen()).state).toBe('awaiting_dns');
  });
});

describe('a result', () => {
  it('that is repeated changes nothing', async () => {
    const { id } = await add(freshName());
    const job = await worker.nextJob('verify-dns', id);
    const event = { ...attemptOf(job), findings: matchingFindings(job.expected) };
    await Promise.all([1, 2, 3].map(() => api.messaging.events.emit('dns.checked', event)));
    await untilState(id, 'verified');
    const issue = await worker.nextJob('issue-certificate', id);
    const failure = { ...attemptOf(issue), directoryUrl, stage: 'order' as const, ordered: true, gate: null };
    const problem = { type: 'urn:ietf:params:acme:error:serverInternal', detail: 'down', status: 500, retryAt: null };
    await api.messaging.events.emit('certificate.failed', { ...failure, problem });
    await waitUntil(async () => (await get(id)).issues.length > 0, { timeoutMs: 15_000, message: 'the failure' });
    const { body } = await api.request('GET', `${domains()}/${id}/events`, { key });
    expect((body as { to: string }[]).filter(({ to }) => to === 'verified')).toHaveLength(2);
  });

  it('of an older generation changes nothing', async () => {
    const { id, issue } = await verified();
    const stale = { ...attemptOf(issue), generation: 1, directoryUrl, chainPem: await signRequest(issue.csrPem, 'x') };
    await api.messaging.events.emit('certificate.issued', stale);
    const fresh = { ...attemptOf(issue), directoryUrl, chainPem: await signRequest(issue.csrPem, 'x') };
    await api.messaging.events.emit('certificate.issued', fresh);
    await worker.nextJob('probe-edge', id);
    const { rows } = await sql<{
      issued: bigint;
    }>`select count(*) as issued from certificates where domain_id = ${id} and state = 'issued'`.execute(api.db);
    expect(rows[0]?.issued).toBe(1n);
  });

  it('that comes after removal changes nothing', async () => {
    const { id, issue } = await verified();
    expect((await api.request('DELETE', `${domains()}/${id}`, { key })).status).toBe(204);
    await api.messaging.events.emit('certificate.issued', {
      ...attemptOf(issue),
      directoryUrl,
      chainPem: await signRequest(issue.csrPem, 'x'),
    });
    // A second domain that goes all the way shows that the queue has been worked off.
    await verified();
    expect(await get(id)).toMatchObject({ state: 'removed', certificate: null });
  });
});

describe('certificates', () => {
  it('make the domain live only once an edge was seen to serve them', async () => {
    const { id, name, issue } = await verified();
    await api.messaging.events.emit('certificate.issued', {
      ...attemptOf(issue),
      directoryUrl,
      chainPem: await signRequest(issue.csrPem, name),
    });
    const probe = await worker.nextJob('probe-edge', id);
    expect(await get(id)).toMatchObject({ state: 'verified', certificate: { state: 'issued', issuer: 'Scripted CA' } });
    await api.messaging.events.emit('certificate.not_served', {
      ...attemptOf(probe),
      seen: [{ edgeId: 'e1', error: 'refused' }],
    });
    const again = await worker.nextJob('probe-edge', id);
    await api.messaging.events.emit('certificate.served', { ...attemptOf(again), leafSha256: again.leafSha256 });
    await untilState(id, 'live');
    expect(await get(id)).toMatchObject({ liveAt: expect.any(String), issues: [] });
  });

  it('that fail leave the domain verified, with the reason and the next attempt', async () => {
    const { id, issue } = await verified();
    const problem = {
      type: 'urn:ietf:params:acme:error:rateLimited',
      detail: 'too many',
      status: 429,
      retryAt: '2036-01-01T00:00:00.000Z',
    };
    await api.messaging.events.emit('certificate.failed', {
      ...attemptOf(issue),
      directoryUrl,
      stage: 'order',
      ordered: true,
      gate: null,
      problem,
    });
    await waitUntil(async () => (await get(id)).issues.length > 0, { timeoutMs: 15_000, message: 'the failure' });
    expect(await get(id)).toMatchObject({
      state: 'verified',
      certificate: { rateLimitedUntil: '2036-01-01T00:00:00.000Z' },
      issues: [{ code: 'ca_rate_limited' }],
    });
  });
});

describe('re-verify', () => {
  it('is refused with the time to wait while the first attempt is under way', async () => {
    const { id } = await verified();
    const refused = await click(id, 'reverify');
    expect([refused.status, refused.body.code]).toEqual([409, 'reverify_too_early']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1700);
  });

  it('after a failure looks at DNS and CAA, then starts a fresh generation; late results of the old one count for nothing', async () => {
    const { id, name, issue } = await verified();
    const problem = { type: null, detail: 'gone', status: null, retryAt: null };
    await api.messaging.events.emit('certificate.failed', {
      ...attemptOf(issue),
      directoryUrl,
      stage: 'order',
      ordered: true,
      gate: null,
      problem,
    });
    await waitUntil(async () => (await click(id, 'reverify')).status === 202, {
      timeoutMs: 15_000,
      message: 're-verify to be allowed',
    });
    const job = await worker.nextJob('reverify-domain', id);
    expect(job.generation).toBe(issue.generation + 1);
    await api.messaging.events.emit('domain.reverified', {
      ...attemptOf(job),
      findings: matchingFindings(job.expected),
      caa: { kind: 'permits' },
    });
    const fresh = await worker.nextJob('issue-certificate', id);
    await api.messaging.events.emit('certificate.issued', {
      ...attemptOf(issue),
      directoryUrl,
      chainPem: await signRequest(issue.csrPem, name),
    });
    await api.messaging.events.emit('certificate.issued', {
      ...attemptOf(fresh),
      directoryUrl,
      chainPem: await signRequest(fresh.csrPem, name),
    });
    await worker.nextJob('probe-edge', id);
    const { rows } = await sql<{
      generation: number;
    }>`select generation from certificates where domain_id = ${id} and state = 'issued'`.execute(api.db);
    expect(rows).toEqual([{ generation: fresh.generation }]);
  });
});

describe('a job that is lost', () => {
  it('is dispatched again when its lease has run out', async () => {
    const { id } = await add(freshName());
    const lost = await worker.nextJob('verify-dns', id);
    await sql`update domain_work set lease_until = now() where domain_id = ${id}`.execute(api.db);
    expect((await worker.nextJob('verify-dns', id)).attempt).toBe(lost.attempt + 1);
  });
});

describe('domain config', () => {
  const config = (id = projectId) => `/v1/projects/${id}/domain-config`;

  it('is answered exactly as it was sent', async () => {
    const [a, b] = [await add(freshName()), await add(freshName())];
    const body = { domains: { primary: a.name, redirects: [{ from: b.name, to: a.name, status: 301 }] } };
    expect((await api.request('PUT', config(), { key, body })).status).toBe(200);
    expect((await api.request('GET', config(), { key })).body).toEqual(body);
  });

  it.each<[string, (name: string) => unknown, string]>([
    [
      'a foreign name',
      (name) => ({ domains: { redirects: [{ from: name, to: 'elsewhere.example.com', status: 301 }] } }),
      'invalid_parameter',
    ],
    ['a circle', (name) => ({ domains: { redirects: [{ from: name, to: name, status: 301 }] } }), 'redirect_cycle'],
    [
      'another status',
      (name) => ({ domains: { redirects: [{ from: name, to: name, status: 303 }] } }),
      'invalid_parameter',
    ],
    ['another shape', () => ({ redirects: [] }), 'invalid_parameter'],
  ])('refuses %s', async (_name, make, code) => {
    const { name } = await add(freshName());
    const refused = await api.request('PUT', config(), { key, body: make(name) });
    expect([refused.status, refused.body.code]).toEqual([400, code]);
  });

  it('loses the entries of a removed domain with it', async () => {
    const id = await createProject(key, true);
    const names = [freshName(), freshName()] as const;
    for (const name of names) await api.request('POST', domains(id), { key, body: { name } });
    const body = { domains: { primary: names[0], redirects: [{ from: names[1], to: names[0], status: 308 }] } };
    await api.request('PUT', config(id), { key, body });
    await api.request('DELETE', `${domains(id)}/${names[0]}`, { key });
    expect((await api.request('GET', config(id), { key })).body).toEqual({ domains: { redirects: [] } });
  });
});

describe('another organization', () => {
  it('cannot see or touch a domain: it answers as a missing one', async () => {
    const { id } = await add(freshName());
    const other = await api.createOrganization('pro');
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/events'],
      ['POST', '/verify'],
      ['POST', '/reverify'],
    ] as const) {
      expect((await api.request(method, `${domains()}/${id}${path}`, { key: other.key })).status).toBe(404);
    }
    expect((await get(id)).state).toBe('awaiting_dns');
  });
});
