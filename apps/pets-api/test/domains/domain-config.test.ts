import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  isOfLink,
  operations,
  type ApiError,
  type DomainConfig,
  type EdgeRoute,
  type Operation,
} from '@pets/contracts';
import { sql } from 'kysely';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import type { ApiResponse } from '../harness.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

const pathOf = (projectId: string) => `/v1/projects/${projectId}/domain-config`;
const ask = <Body = ApiError>(
  method: 'GET' | 'PUT',
  {
    projectId = fixture.projectId,
    ...options
  }: { projectId?: string; body?: unknown; headers?: Record<string, string> },
): Promise<ApiResponse<Body>> => fixture.api.request(method, pathOf(projectId), { key: fixture.key, ...options });
const redirect = (from: string, to: string, status = 301) => ({ from, to, status });

async function names<Count extends number>(
  count: Count,
  projectId = fixture.projectId,
): Promise<string[] & { length: Count }> {
  const made: string[] = [];
  for (let nth = 0; nth < count; nth++) {
    const body = { name: fixture.freshName() };
    await fixture.api.request('POST', fixture.path(projectId), { key: fixture.key, body });
    made.push(body.name);
  }
  return made as string[] & { length: Count };
}

describe('a configuration', () => {
  it('is answered exactly as it was sent, with every status there is', async () => {
    const [a = '', b = '', c = '', d = '', e = ''] = await names(5);
    const redirects = [redirect(b, a, 301), redirect(c, a, 302), redirect(d, a, 307), redirect(e, d, 308)];
    const body = { domains: { primary: a, redirects } };
    const put = await ask('PUT', { body });
    expect(put.status).toBe(200);
    expect(put.body).toEqual(body);
    expect((await ask('GET', {})).body).toEqual(body);
  });

  it('names domains as people write them: compared in ASCII, kept as sent', async () => {
    const projectId = await fixture.createProject(fixture.key, true);
    const [plain = ''] = await names(1, projectId);
    await fixture.api.request('POST', fixture.path(projectId), {
      key: fixture.key,
      body: { name: 'müller.example.com' },
    });
    const body = {
      domains: {
        primary: 'Müller.example.com',
        redirects: [redirect(`${plain.toUpperCase()}.`, 'MÜLLER.example.com.')],
      },
    };
    expect((await ask('PUT', { projectId, body })).status).toBe(200);
    expect((await ask('GET', { projectId })).body).toEqual(body);
    const twice = [redirect('müller.example.com', plain), redirect('xn--mller-kva.example.com', plain)];
    const refused = await ask('PUT', { projectId, body: { domains: { redirects: twice } } });
    expect(refused.body.code).toBe('invalid_parameter');
    expect(refused.body.message).toContain('redirected twice');
  });

  it.each<[string, (a: string, b: string, c: string) => unknown, string, (a: string, b: string, c: string) => string]>([
    [
      'a foreign source',
      (a) => ({ redirects: [redirect('x.example.com', a)] }),
      'invalid_parameter',
      () => 'domains.redirects.0.from',
    ],
    [
      'a foreign target',
      (a) => ({ redirects: [redirect(a, 'x.example.com')] }),
      'invalid_parameter',
      () => 'domains.redirects.0.to',
    ],
    [
      'a foreign primary',
      () => ({ primary: 'x.example.com', redirects: [] }),
      'invalid_parameter',
      () => 'domains.primary',
    ],
    [
      'a source given twice',
      (a, b, c) => ({ redirects: [redirect(a, b), redirect(a, c)] }),
      'invalid_parameter',
      (a) => `${a} is redirected twice`,
    ],
    ['a redirect to itself', (a) => ({ redirects: [redirect(a, a)] }), 'redirect_cycle', (a) => `${a} → ${a}`],
    [
      'a circle',
      (a, b, c) => ({ redirects: [redirect(a, b), redirect(b, c), redirect(c, a)] }),
      'redirect_cycle',
      (a, b, c) => `${a} → ${b} → ${c} → ${a}`,
    ],
    [
      'another status',
      (a, b) => ({ redirects: [redirect(a, b, 303)] }),
      'invalid_parameter',
      () => 'domains.redirects.0.status',
    ],
    ['another member', () => ({ redirects: [], fallback: 'x' }), 'invalid_parameter', () => 'fallback'],
  ])('with %s is refused, and nothing of it is kept', async (_name, make, code, part) => {
    const [a = '', b = '', c = ''] = await names(3);
    const before = await ask('GET', {});
    const refused = await ask('PUT', { body: { domains: make(a, b, c) } });
    expect(refused.status).toBe(400);
    expect(refused.body.code).toEqual(code);
    expect(refused.body.message).toContain(part(a, b, c));
    expect((await ask('GET', {})).text).toBe(before.text);
  });

  it('with a loop is refused with the redirects that it consists of', async () => {
    const [a = '', b = '', c = ''] = await names(3);
    const refused = await ask('PUT', {
      body: { domains: { redirects: [redirect(c, a), redirect(a, b.toUpperCase()), redirect(b, a)] } },
    });
    expect(refused.body).toMatchObject({
      code: 'redirect_cycle',
      errors: [{ field: 'domains.redirects' }, { field: 'domains.redirects.1' }, { field: 'domains.redirects.2' }],
    });
  });

  it('of a removed domain is refused', async () => {
    const [a = ''] = await names(1);
    await fixture.api.request('DELETE', `${fixture.path()}/${a}`, { key: fixture.key });
    const refused = await ask('PUT', { body: { domains: { primary: a, redirects: [] } } });
    expect(refused.body.code).toBe('invalid_parameter');
  });

  it('loses the entries of a removed domain with it, however they are written', async () => {
    const projectId = await fixture.createProject(fixture.key, true);
    const [a = '', b = '', c = ''] = await names(3, projectId);
    const body = {
      domains: { primary: a.toUpperCase(), redirects: [redirect(b, a.toUpperCase(), 308), redirect(c, b, 302)] },
    };
    await ask('PUT', { projectId, body });
    await fixture.api.request('DELETE', `${fixture.path(projectId)}/${a}`, { key: fixture.key });
    expect((await ask('GET', { projectId })).body).toEqual({ domains: { redirects: [redirect(c, b, 302)] } });
  });

  it('reaches the edges with its commit, chains collapsed, and temporary where any hop is', async () => {
    const [one, two, three] = [await fixture.verified(), await fixture.verified(), await fixture.verified()];
    for (const { id, name, issue } of [one, two, three]) {
      await fixture.sign(issue, name);
      await fixture.worker.nextJob('probe-edge', id);
    }
    const body = {
      domains: { redirects: [redirect(one.name, two.name, 301), redirect(two.name, three.name.toUpperCase(), 307)] },
    };
    expect((await ask('PUT', { body })).status).toBe(200);
    const { rows } = await sql<{ host: string; route: EdgeRoute }>`
      select host, route from edge_routes where host in (${one.name}, ${two.name})`.execute(fixture.api.db);
    expect(new Map(rows.map(({ host, route }) => [host, route.serve]))).toEqual(
      new Map([
        [one.name, { kind: 'redirect', to: three.name, status: 307 }],
        [two.name, { kind: 'redirect', to: three.name, status: 307 }],
      ]),
    );
    expect((await ask('GET', {})).body).toEqual(body);
  });
});

describe('conditional requests', () => {
  it('identify a configuration by its ETag', async () => {
    const [a = ''] = await names(1);
    const empty = await ask('PUT', { body: { domains: { redirects: [] } } });
    const other = await ask('PUT', { body: { domains: { primary: a, redirects: [] } } });
    const [first, second] = [empty.headers.get('etag'), other.headers.get('etag')];
    expect(first).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
    expect(second).not.toBe(first);
    expect((await ask('GET', {})).headers.get('etag')).toBe(second);
    const back = await ask('PUT', { body: { domains: { redirects: [] } } });
    expect(back.headers.get('etag')).toBe(first);
  });

  it('answer 304 without a body to a client that has it', async () => {
    const etag = (await ask('GET', {})).headers.get('etag') ?? '';
    for (const known of [etag, `"x", W/${etag}`, '*']) {
      const same = await ask('GET', { headers: { 'if-none-match': known } });
      expect(same.status).toBe(304);
      expect(same.text).toBe('');
      expect(same.headers.get('etag')).toBe(etag);
    }
    expect((await ask('GET', { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });

  it('refuse to overwrite what the client has not seen', async () => {
    const [a = ''] = await names(1);
    const etag = (await ask('GET', {})).headers.get('etag') ?? '';
    const body: DomainConfig = { domains: { primary: a, redirects: [] } };
    const put = await ask('PUT', { body, headers: { 'if-match': etag } });
    expect(put.status).toBe(200);
    for (const stale of [etag, `W/${put.headers.get('etag')}`, 'unquoted']) {
      const refused = await ask('PUT', { body: { domains: { redirects: [] } }, headers: { 'if-match': stale } });
      expect(refused.status).toBe(412);
      expect(refused.body.code).toBe('precondition_failed');
      expect(refused.body.status).toBe(412);
    }
    expect((await ask('GET', {})).body).toEqual(body);
    for (const headers of [{ 'if-match': '*' }, { 'if-match': `"x", ${put.headers.get('etag')}` }])
      expect((await ask('PUT', { body, headers })).status).toBe(200);
  });

  it('are what `If-Match` asks for: it is refused wherever there is none, before anything happens', async () => {
    const { id, name, metadata } = await fixture.add(fixture.freshName());
    const untagged = Object.values<Operation>(operations).filter(
      (operation) => !operation.isConditional && operation.holder !== 'session' && !isOfLink(operation),
    );
    const headers = { 'if-match': '"v1"' };
    for (const { method, path } of untagged) {
      const here = path.replace('{projectId}', fixture.projectId).replace('{domain}', id);
      const asked = method.toUpperCase() as 'GET';
      const url = here.replaceAll(/\{\w+\}/g, '1');
      const answer = await fixture.api.request(asked, url, { key: fixture.key, headers });
      expect([url, answer.status, answer.body.code]).toEqual([url, 412, 'precondition_failed']);
    }
    const change = { key: fixture.key, body: { metadata: { seen: 'yes' } }, headers: { 'if-match': '*' } };
    expect(await fixture.get(id)).toMatchObject({ name, metadata, state: 'awaiting_dns' });
    expect((await fixture.api.request('PATCH', `${fixture.path()}/${id}`, change)).status).toBe(200);
    expect((await fixture.api.request('GET', `${fixture.path()}/${id}`, { headers })).status).toBe(401);
  });

  it('accept one of many concurrent writers of the same version', async () => {
    const many = await names(10);
    const etag = (await ask('GET', {})).headers.get('etag') ?? '';
    const answers = await Promise.all(
      many.map((primary) =>
        ask('PUT', { body: { domains: { primary, redirects: [] } }, headers: { 'if-match': etag } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
  });
});
