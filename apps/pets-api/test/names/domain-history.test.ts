import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiKey, DomainHistoryEntry } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;
let owner: Tenant;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  owner = await fixture.tenant();
});
afterAll(() => fixture.close());

const read = (path: string, key = owner.key) => fixture.api.request<DomainHistoryEntry[]>('GET', path, { key });
const events = (place: string) => `/v1/projects/${owner.projectId}${place}/events`;

/** Every page of a list, by its links. */
async function pagesOf(first: string): Promise<DomainHistoryEntry[][]> {
  const pages: DomainHistoryEntry[][] = [];
  for (let path: string | undefined = first; path !== undefined;) {
    const { body, headers } = await read(path);
    pages.push(body);
    path = /^<https:\/\/api\.example([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  return pages;
}

describe('a history', () => {
  it('says who did it: the key of a click, the service for a fact', async () => {
    const { id } = await owner.add(fixture.freshName());
    await fixture.check(id, matchingFindings);
    const issue = await fixture.worker.nextJob('issue-certificate', id);
    await fixture.failIssuance(issue, { type: null, detail: 'gone', status: null, retryAt: null });
    const reverify = () =>
      fixture.api.request('POST', `${fixture.path(owner.projectId)}/${id}/reverify`, { key: owner.key });
    await waitUntil(async () => (await reverify()).status === 202, { timeoutMs: 15_000, message: 're-verify' });
    await owner.remove(id);

    const keys = await fixture.api.request<ApiKey[]>('GET', '/v1/api-keys', { key: owner.key });
    const key = { kind: 'api_key', id: keys.body[0]?.id, display: keys.body[0]?.display };
    const system = { kind: 'system', id: null, display: null };
    expect((await owner.events(id)).map(({ type, actor }) => [type, actor])).toEqual([
      ['owner.added', key],
      ['dns.checked', system],
      ['certificate.failed', system],
      ['owner.reverify', key],
      ['owner.removed', key],
    ]);
  });

  it('of a session’s click names the key that opened the session', async () => {
    const session = await fixture.api.request<{ secret: string }>('POST', '/v1/sessions', { key: owner.key });
    const { id } = await owner.add(fixture.freshName());
    await fixture.api.request('DELETE', `${fixture.path(owner.projectId)}/${id}`, { key: session.body.secret });
    const [added, removed] = await owner.events(id);
    expect(removed?.actor).toEqual(added?.actor);
  });

  it('is read in pages, in order, each line once', async () => {
    const { id, name } = await owner.add(fixture.freshName());
    await fixture.check(id, matchingFindings);
    await owner.untilState(id, 'verified');
    await owner.remove(id);
    const whole = await owner.events(id);
    expect(whole).toHaveLength(3);
    for (const key of [id, name]) {
      const pages = await pagesOf(`${events(`/domains/${key}`)}?limit=1`);
      expect(pages.map(({ length }) => length)).toEqual([1, 1, 1]);
      expect(pages.flat()).toEqual(whole);
    }
  });

  it('of a project is that of all its domains, numbered without gaps', async () => {
    for (let nth = 0; nth < 3; nth++) await owner.remove((await owner.add(fixture.freshName())).id);
    const pages = await pagesOf(`${events('')}?limit=4`);
    const lines = pages.flat();
    expect(pages.length).toBeGreaterThan(2);
    expect(lines.map(({ number }) => number)).toEqual(lines.map((_line, nth) => nth + 1));
    expect(new Set(lines.map(({ domainId }) => domainId)).size).toBeGreaterThan(3);
  });

  it.each(['limit=0', 'limit=101', 'cursor=x', 'before=1'])('is not read by %s', async (query) => {
    for (const place of ['', `/domains/${(await owner.add(fixture.freshName())).id}`])
      expect((await read(`${events(place)}?${query}`)).status).toBe(400);
  });

  it('has cursors of its own, and is nobody else’s', async () => {
    const { id } = await owner.add(fixture.freshName());
    await owner.remove(id);
    const link = (await read(`${events('')}?limit=1`)).headers.get('link') ?? '';
    const cursor = /cursor=([\w-]+)/.exec(link)?.[1];
    expect((await read(`${events(`/domains/${id}`)}?limit=1&cursor=${cursor}`)).status).toBe(400);
    for (const place of ['', `/domains/${id}`]) expect((await read(events(place), fixture.key)).status).toBe(404);
  });
});
