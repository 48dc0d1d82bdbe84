import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EventStreamRefused, readProjectEvents, type ProjectEvent } from '@pets/client';
import { waitUntil } from '@pets/testing';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import type { ApiReplica } from '../harness.js';
import { addLines } from '../names/history-lines.js';

/** The client of our users against the real thing. */
let fixture: DomainFixture;
let owner: Tenant;
let domainId: string;

beforeAll(async () => {
  fixture = await startDomainFixture();
  owner = await fixture.tenant();
  domainId = (await owner.add(fixture.freshName())).id;
});
afterAll(() => fixture.close());

const write = (count: number) => addLines(fixture.api.db, { projectId: owner.projectId, domainId }, count);

/** Reads until it is aborted, each time from a running replica. */
function read(replicas: readonly ApiReplica[], stopped: ReadonlySet<ApiReplica>, key = owner.key) {
  const abort = new AbortController();
  const events: ProjectEvent[] = [];
  const reading = (async () => {
    const ask = (request: Request) => {
      const running = replicas.find((replica) => !stopped.has(replica));
      return fetch(new Request(request.url.replace(fixture.api.url, running?.url ?? ''), request));
    };
    const { projectId } = owner;
    const options = { baseUrl: fixture.api.url, apiKey: key, projectId, signal: abort.signal, fetch: ask };
    for await (const event of readProjectEvents(options)) events.push(event);
  })();
  return {
    events,
    numbers: () => events.flatMap((event) => (event.type === 'history' ? [event.entry.number] : [])),
    begins: () => events.filter(({ type }) => type === 'ready').length,
    reading,
    stop: async () => {
      abort.abort();
      await reading;
    },
  };
}

it('misses nothing and repeats nothing when the server it reads from stops', async () => {
  const replicas = [fixture.api.startReplica(), fixture.api.startReplica(), fixture.api.startReplica()];
  const running = await Promise.all(replicas);
  const stopped = new Set<ApiReplica>();
  const reader = read(running, stopped);
  await waitUntil(() => reader.begins() === 1, { message: 'the stream to begin' });
  for (const [nth, replica] of running.slice(0, 2).entries()) {
    await write(10);
    stopped.add(replica);
    const stopping = replica.stopApi();
    await write(10);
    await stopping;
    await waitUntil(() => reader.begins() === nth + 2, { message: 'the stream to be resumed' });
    await write(10);
  }
  await waitUntil(() => reader.numbers().length >= 60, { message: 'every line' });
  const [first = 0] = reader.numbers();
  expect(reader.numbers()).toEqual(Array.from({ length: 60 }, (_, nth) => first + nth));
  await reader.stop();
});

it('stops when its key is no longer valid', async () => {
  const { body } = await fixture.api.request<{ id: string; secret: string }>('POST', '/v1/api-keys', {
    ...{ key: owner.key, body: { name: 'reader', scopes: ['domains:read'] } },
  });
  const reader = read([fixture.api], new Set(), body.secret);
  const refusal = reader.reading.catch((thrown: unknown) => thrown);
  await waitUntil(() => reader.begins() === 1, { message: 'the stream to begin' });
  await fixture.api.request('DELETE', `/v1/api-keys/${body.id}`, { key: owner.key });
  const refused = await refusal;
  expect(refused).toBeInstanceOf(EventStreamRefused);
  expect(refused).toMatchObject({ status: 401, code: 'invalid_api_key' });
});
