import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainHistoryEntry } from '@pets/contracts';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { openStream, type StreamReader, type StreamRequest } from './event-stream-reader.js';
import type { ApiReplica } from '../harness.js';
import { addLines } from '../names/history-lines.js';
import { emptyFindings, matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;
let owner: Tenant;
let replica: ApiReplica;
const readers: StreamReader[] = [];

beforeAll(async () => {
  fixture = await startDomainFixture();
  owner = await fixture.tenant();
  replica = await fixture.api.startReplica();
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => fixture.close());

async function open(more: Partial<StreamRequest> = {}, url = fixture.api.url): Promise<StreamReader> {
  const reader = await openStream(url, { key: owner.key, projectId: owner.projectId, ...more });
  readers.push(reader);
  return reader;
}
const eventsPath = (projectId = owner.projectId) => `/v1/projects/${projectId}/events`;
const ask = (headers: Record<string, string>, { key = owner.key, path = eventsPath(), method = 'GET' } = {}) =>
  fixture.api.request(method, path, { key, headers: { accept: 'text/event-stream', ...headers } });
const numbers = (lines: readonly DomainHistoryEntry[]) => lines.map(({ number }) => number);

/** A project without anything else going on in it. */
async function quietProject() {
  const tenant = await fixture.tenant();
  const { key, projectId } = tenant;
  const { id: domainId } = await tenant.add(fixture.freshName());
  return { key, projectId, write: (count: number) => addLines(fixture.api.db, { projectId, domainId }, count) };
}

describe('a stream of events', () => {
  it('begins at once, with its position in the history', async () => {
    await owner.add(fixture.freshName());
    const stream = await open();
    await stream.until(() => stream.events().length > 0, 'the first event');
    const head = (
      await fixture.api.request<DomainHistoryEntry[]>('GET', `${eventsPath()}?limit=100`, { key: owner.key })
    ).body;
    expect(stream.text()).toMatch(/^retry: \d+\nid: \d+\nevent: ready\n/);
    expect(stream.events()[0]).toEqual({
      ...{ id: String(head.at(-1)?.number), event: 'ready', data: { number: head.at(-1)?.number } },
    });
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
      connection: 'close',
    });
    expect(stream.response.headers).not.toHaveProperty('content-encoding');
  });

  it('tells each line of the history as the pages do, in order, and from now on only', async () => {
    const stream = await open();
    const { id } = await owner.add(fixture.freshName());
    await fixture.check(id, matchingFindings);
    await owner.untilState(id, 'verified');
    await owner.remove(id);
    await stream.until(() => stream.history().length >= 3, 'the lines');
    expect(stream.history()).toEqual(await owner.events(id));
    const ids = stream.events().map((event) => Number(event.id));
    expect(ids).toEqual(ids.map((_id, nth) => (ids[0] ?? 0) + nth));
  });

  it('comes from every replica, wherever something was done', async () => {
    const streams = [await open(), await open({}, replica.url), await open({}, replica.url)];
    await owner.add(fixture.freshName());
    await replica.request('POST', fixture.path(owner.projectId), {
      key: owner.key,
      body: { name: fixture.freshName() },
    });
    for (const stream of streams) await stream.until(() => stream.history().length === 2, 'both lines');
    const [first] = streams;
    for (const stream of streams) expect(stream.history()).toEqual(first?.history());
  });

  it('hints at what changes without a line in the history', async () => {
    const { id } = await owner.add(fixture.freshName());
    const stream = await open();
    await fixture.check(id, emptyFindings);
    await stream.until(() => stream.events().length > 1, 'a line or a hint');
    const before = stream.events().length;
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, emptyFindings);
    await stream.until(() => stream.events().length > before, 'a hint');
    expect(stream.events().at(-1)).toEqual({ id: undefined, event: 'changed', data: { domainId: id } });
  });

  it('resumes behind a line whose successors were deleted', async () => {
    const { write, ...project } = await quietProject();
    await write(150);
    const { db } = fixture.api;
    await db.deleteFrom('project_events').where('project_id', '=', project.projectId).execute();
    // The first one is at the end of the history, so the second one has to get there.
    const streams = [await open(project), await open({ ...project, lastEventId: 1 })];
    await write(2);
    for (const stream of streams) await stream.until(() => stream.history().length === 2, 'the new lines');
    expect(streams.map((stream) => numbers(stream.history()))).toEqual([
      [152, 153],
      [152, 153],
    ]);
  });

  it('resumes behind any line, without gaps or repeats, while more is written', async () => {
    const { write, ...project } = await quietProject();
    await write(349);
    const [all, some, last] = [
      await open({ ...project, lastEventId: 0 }),
      await open({ ...project, lastEventId: 123 }),
      await open({ ...project, lastEventId: 350 }),
    ];
    for (let nth = 0; nth < 10; nth++) await write(25);
    for (const stream of [all, some, last])
      await stream.until(() => stream.history().at(-1)?.number === 600, 'the newest line');
    const upTo = (from: number) => Array.from({ length: 600 - from }, (_, nth) => from + nth + 1);
    expect(numbers(all.history())).toEqual(upTo(0));
    expect(numbers(some.history())).toEqual(upTo(123));
    expect(numbers(last.history())).toEqual(upTo(350));
  });

  it('of one project has nothing of another', async () => {
    const { key, projectId } = owner;
    const other = await fixture.tenant();
    const [mine, theirs] = [await open({ key, projectId }), await open({ key: other.key, projectId: other.projectId })];
    const { id } = await other.add(fixture.freshName());
    await theirs.until(() => theirs.history().length === 1, 'their line');
    expect(theirs.history()[0]?.domainId).toBe(id);
    expect(mine.history()).toEqual([]);
  });
});

describe('a stream is refused', () => {
  it.each(['x', '', '-1', '1.5', '99999999999999999999', '01'])('for Last-Event-ID %j', async (id) => {
    expect(await ask({ 'last-event-id': id })).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
  });

  it('for an id beyond the newest event', async () => {
    const answer = await ask({ 'last-event-id': '100000' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_parameter', status: 400 } });
  });

  it.each(['limit=5', 'cursor=x', 'after=1'])('with the parameter %s', async (query) => {
    const answer = await ask({}, { path: `${eventsPath()}?${query}` });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
  });

  it('of another organization’s project, as of one that is not there', async () => {
    const theirs = await ask({}, { key: fixture.key });
    const missing = await ask({}, { path: eventsPath('00000000-0000-4000-8000-000000000000') });
    expect(theirs).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(theirs.text).toBe(missing.text);
  });

  it('without a key, and to a key without the scope', async () => {
    const { organizationId } = await fixture.api.createOrganization('pro');
    const key = await fixture.api.createKey(organizationId, { scopes: ['projects:read'] });
    expect((await ask({}, { key })).status).toBe(403);
    expect((await ask({}, { key: 'nonsense' })).status).toBe(401);
  });
});

describe('the history', () => {
  it.each([
    'application/json',
    '*/*',
    'application/json, text/event-stream',
    'application/json, text/event-stream;q=0.9',
  ])('is a page for %s', async (accept) => {
    const answer = await ask({ accept });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toBeInstanceOf(Array);
  });

  it('is neither for a client that likes no stream and nothing else', async () => {
    expect(await ask({ accept: 'text/event-stream;q=0' })).toMatchObject({ status: 406 });
  });

  it.each(['text/event-stream', 'text/event-stream, application/json;q=0.5', 'text/event-stream, */*'])(
    'is a stream for %s; HEAD shows its headers and is no stream',
    async (accept) => {
      const answer = await ask({ accept }, { method: 'HEAD' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/event-stream');
      expect(answer.text).toBe('');
      expect(answer.headers.has('content-length')).toBe(false);
    },
  );

  it('of one domain is no stream', async () => {
    const { id } = await owner.add(fixture.freshName());
    const answer = await ask({}, { path: `${fixture.path(owner.projectId)}/${id}/events` });
    expect(answer).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
  });
});
