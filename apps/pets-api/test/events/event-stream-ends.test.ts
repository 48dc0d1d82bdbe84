import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { openStream, type StreamReader, type StreamRequest } from './event-stream-reader.js';
import { addLines } from '../names/history-lines.js';

let fixture: DomainFixture;
let owner: Tenant;
let domainId: string;
const readers: StreamReader[] = [];

beforeAll(async () => {
  fixture = await startDomainFixture();
  owner = await fixture.tenant();
  domainId = (await owner.add(fixture.freshName())).id;
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => fixture.close());

async function open(more: Partial<StreamRequest> = {}, url = fixture.api.url): Promise<StreamReader> {
  const reader = await openStream(url, { key: owner.key, projectId: owner.projectId, ...more });
  readers.push(reader);
  await reader.until(() => reader.events().length > 0, 'the stream to begin');
  return reader;
}
const write = (count: number, detail?: string) =>
  addLines(fixture.api.db, { projectId: owner.projectId, domainId }, count, detail);
const post = <Body>(path: string, body: unknown) => fixture.api.request<Body>('POST', path, { key: owner.key, body });

/** Streams that must end are looked for once a second. */
const SOON_MS = 2_500;

describe('a stream ends', () => {
  it('in good order when its key is revoked, also on another replica, and no other stream does', async () => {
    const replica = await fixture.api.startReplica();
    const { body } = await post<{ id: string; secret: string }>('/v1/api-keys', {
      name: 'k',
      scopes: ['domains:read'],
    });
    const [here, there, other] = [
      await open({ key: body.secret }),
      await open({ key: body.secret }, replica.url),
      await open(),
    ];
    await fixture.api.request('DELETE', `/v1/api-keys/${body.id}`, { key: owner.key });
    expect(await Promise.all([here.untilEnd(SOON_MS), there.untilEnd(SOON_MS)])).toEqual([true, true]);
    await write(1);
    await other.until(() => other.history().length === 1, 'the line');
  });

  it('when its session ends, and when the key of its session is revoked', async () => {
    const key = await post<{ id: string; secret: string }>('/v1/api-keys', {
      ...{ name: 'k', scopes: ['domains:read', 'projects:read'] },
    });
    const session = async () =>
      (await fixture.api.request<{ secret: string }>('POST', '/v1/sessions', { key: key.body.secret })).body.secret;
    const [first, second] = [await session(), await session()];
    const [ofFirst, ofSecond] = [await open({ key: first }), await open({ key: second })];
    await fixture.api.request('DELETE', '/v1/sessions/current', { key: first });
    expect(await ofFirst.untilEnd(SOON_MS)).toBe(true);
    await fixture.api.request('DELETE', `/v1/api-keys/${key.body.id}`, { key: owner.key });
    expect(await ofSecond.untilEnd(SOON_MS)).toBe(true);
  });

  it('when its key expires', async () => {
    const expiresAt = new Date(Date.now() + 2_000).toISOString();
    const { body } = await post<{ secret: string }>('/v1/api-keys', { name: 'k', scopes: ['domains:read'], expiresAt });
    const stream = await open({ key: body.secret });
    expect(await stream.untilEnd(2_000 + SOON_MS)).toBe(true);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it('when its project is gone', async () => {
    const projectId = await fixture.createProject(owner.key, false);
    const stream = await open({ projectId });
    await sql`delete from projects where id = ${projectId}`.execute(fixture.api.db);
    expect(await stream.untilEnd(SOON_MS)).toBe(true);
  });

  it('in good order when the server stops, which does not wait for it', async () => {
    const replica = await fixture.api.startReplica();
    const streams = [await open({}, replica.url), await open({}, replica.url)];
    const began = performance.now();
    const stopped = replica.stopApi();
    expect(await Promise.all(streams.map((stream) => stream.untilEnd(SOON_MS)))).toEqual([true, true]);
    await stopped;
    expect(performance.now() - began).toBeLessThan(3_500);
    const resumed = await open({ lastEventId: streams[0]?.events().at(-1)?.id ?? '' });
    await write(1);
    await resumed.until(() => resumed.history().length === 1, 'the line, elsewhere');
  });

  it('for a reader that takes nothing, while the others go on; it gets the missed events when it reconnects', async () => {
    const [slow, brisk] = [await open(), await open()];
    slow.pause();
    const before = Number(brisk.events()[0]?.id);
    // Far more than what the sockets between hold.
    for (let nth = 0; nth < 20; nth++) {
      await write(100, 'x'.repeat(8_000));
      await brisk.until(() => brisk.history().length === 100 * (nth + 1), 'the brisk reader to keep up');
    }
    slow.resume();
    expect(await slow.untilEnd(10_000)).toBe(false);
    const seen = slow.history().at(-1)?.number ?? before;
    expect(seen).toBeLessThan(before + 2_000);
    const back = await open({ lastEventId: seen });
    await back.until(() => back.history().at(-1)?.number === before + 2_000, 'what was missed', 20_000);
    const missed = back.history().map(({ number }) => number);
    expect(missed).toEqual(missed.map((_number, nth) => seen + nth + 1));
  });
});

describe('a stream goes on', () => {
  it('when the connection that listens is cut: nothing is lost', async () => {
    const stream = await open();
    const cut = () =>
      sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%project_events%'`.execute(fixture.api.db);
    for (let round = 1; round <= 3; round++) {
      expect((await cut()).rows.length).toBeGreaterThan(0);
      await write(1);
      await stream.until(() => stream.history().length === round, 'a line that nobody was woken for');
      await waitUntil(isListening, { message: 'the connection that listens' });
    }
  });

  it('with a sign of life when nothing happens', async () => {
    const stream = await open();
    await stream.until(() => stream.text().endsWith('\n\n:\n\n'), 'a heartbeat', 20_000);
    expect(stream.history()).toEqual([]);
  });
});

async function isListening(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and query ilike 'listen%project_events%'`.execute(fixture.api.db);
  return rows.length > 0;
}

describe('streams are limited', () => {
  it('by organization, whatever the keys and sessions; one that ends makes room', async () => {
    const replica = await fixture.api.startReplica({ EVENT_STREAMS_PER_KEY: '2' });
    const second = await post<{ secret: string }>('/v1/api-keys', { name: 'k', scopes: ['domains:read'] });
    const session = await fixture.api.request<{ secret: string }>('POST', '/v1/sessions', { key: owner.key });
    const [first] = [await open({}, replica.url), await open({ key: session.body.secret }, replica.url)];
    const ask = (method = 'GET') =>
      replica.request(method, `/v1/projects/${owner.projectId}/events`, {
        ...{ key: second.body.secret, headers: { accept: 'text/event-stream' } },
      });
    const refused = await ask();
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', status: 429 } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await fixture.tenant();
    await open({ key: other.key, projectId: other.projectId }, replica.url);
    first.close();
    await waitUntil(async () => (await ask('HEAD')).status === 200, { message: 'room for one' });
  });

  it('so that no organization keeps another out, whatever its limit: the one with the most gives one up', async () => {
    const replica = await fixture.api.startReplica({ EVENT_STREAMS: '4', EVENT_STREAMS_PER_KEY: '100' });
    const [second, third] = [await fixture.tenant(), await fixture.tenant()];
    const of = ({ key, projectId }: Tenant) => open({ key, projectId }, replica.url);
    const held = [await of(owner), await of(owner), await of(second), await of(second)];
    const ask = ({ key, projectId }: Tenant) =>
      replica.request('GET', `/v1/projects/${projectId}/events`, { key, headers: { accept: 'text/event-stream' } });
    expect(await ask(owner)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    await of(third);
    const [first, newest] = held;
    expect(await newest?.untilEnd(SOON_MS)).toBe(false);
    await write(1);
    await first?.until(() => first.history().length === 1, 'the line');
    expect(await ask(third)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await ask(owner)).toMatchObject({ status: 503 });
  });

  it('in all', async () => {
    const replica = await fixture.api.startReplica({ EVENT_STREAMS: '1' });
    await open({}, replica.url);
    const other = await fixture.tenant();
    const refused = await replica.request('GET', `/v1/projects/${other.projectId}/events`, {
      ...{ key: other.key, headers: { accept: 'text/event-stream' } },
    });
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable', status: 503 } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
