import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ListenedDelivery, WebhookListener, WebhookListening } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { readStream, type StreamReader } from './event-stream-reader.js';
import type { ApiReplica } from '../harness.js';
import { signatureOf } from './webhook-fixture.js';

const PATH = '/v1/webhook-listeners';

let fixture: DomainFixture;
let owner: Tenant;
let replica: ApiReplica;
const readers: StreamReader[] = [];

beforeAll(async () => {
  fixture = await startDomainFixture();
  replica = await fixture.api.startReplica();
  owner = await fixture.tenant();
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await waitUntil(async () => (await rows()) === 0, { message: 'the listeners to be gone' });
});
afterAll(() => fixture.close());

async function listen(query = '', { key = owner.key, url = fixture.api.url } = {}): Promise<StreamReader> {
  const reader = await readStream(`${url}${PATH}${query}`, { authorization: `Bearer ${key}` });
  readers.push(reader);
  await reader.until(() => reader.events().length > 0 || reader.response.statusCode !== 200, 'the first event');
  return reader;
}

const listening = (reader: StreamReader) => reader.events()[0]?.data as WebhookListening;
const deliveries = (reader: StreamReader) =>
  reader.events().flatMap(({ event, data }) => (event === 'delivery' ? [data as ListenedDelivery] : []));
const until = (reader: StreamReader, count: number) =>
  reader.until(() => deliveries(reader).length >= count, `${count} deliveries`);
const createPet = async (key = owner.key, url = fixture.api.url) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/pets`, { method: 'POST', headers, body: '{"name":"Rex","categoryId":1}' });
  return String(((await answer.json()) as { id: number }).id);
};
const rows = async () => {
  const { rows: counts } = await sql<{ count: number }>`
    select (select count(*) from webhook_listeners)::int + (
      select count(*) from webhook_deliveries d
      where not exists (select from webhook_endpoints e where e.id = d.endpoint_id)
    )::int as count`.execute(fixture.api.db);
  return counts[0]?.count;
};

describe('a stream of webhook events', () => {
  it('begins with the secret that signs what it receives, as an endpoint would', async () => {
    const stream = await listen();
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
    });
    expect(listening(stream)).toMatchObject({ id: expect.any(String), projectId: null });
    const petId = await createPet();
    await until(stream, 1);
    const [delivery] = deliveries(stream);
    if (delivery === undefined) throw new Error('there is no delivery');
    expect(delivery).toMatchObject({ type: 'pet.created', subjectId: petId, headers: { 'webhook-id': delivery.id } });
    expect(delivery.headers['webhook-signature']).toBe(signatureOf(listening(stream).secret, delivery));
    expect(JSON.parse(delivery.body)).toMatchObject({ type: 'pet.created', sequence: 1, data: { name: 'Rex' } });
  });

  it('receives the events of all replicas at each of them, in their order', async () => {
    const streams = [await listen(), await listen('', { url: replica.url })];
    const ids: string[] = [];
    for (const url of [replica.url, fixture.api.url, replica.url]) ids.push(await createPet(owner.key, url));
    for (const stream of streams) {
      await until(stream, 3);
      expect(deliveries(stream).map(({ subjectId }) => subjectId)).toEqual(ids);
    }
    expect(new Set(streams.map((stream) => listening(stream).secret)).size).toBe(1);
  });

  it('receives only the events that it asks for, of its organization', async () => {
    const other = await fixture.tenant();
    const all = await listen();
    const domains = await listen(`?eventTypes=domain.added,domain.removed&projectId=${owner.projectId}`);
    const others = await listen('', { key: other.key });
    await createPet();
    await owner.add(fixture.freshName());
    await until(all, 2);
    await until(domains, 1);
    expect(deliveries(all).map(({ type }) => type)).toEqual(['pet.created', 'domain.added']);
    expect(deliveries(domains).map(({ type }) => type)).toEqual(['domain.added']);
    const theirs = await createPet(other.key);
    await until(others, 1);
    expect(deliveries(others).map(({ subjectId }) => subjectId)).toEqual([theirs]);
    expect(listening(others).secret).not.toBe(listening(all).secret);
  });

  it('receives a burst completely', async () => {
    const stream = await listen('?eventTypes=pet.created');
    const ids = await Promise.all(Array.from({ length: 300 }, () => createPet()));
    await until(stream, ids.length);
    expect(
      deliveries(stream)
        .map(({ subjectId }) => subjectId)
        .sort(),
    ).toEqual(ids.sort());
  });

  it('is listed while it is open, and gone with what it has not taken when its client leaves', async () => {
    const stream = await listen('?eventTypes=pet.created');
    const list = (query = '') => fixture.api.request<WebhookListener[]>('GET', PATH + query, { key: owner.key });
    const { secret, ...shown } = listening(stream);
    const listed = await list();
    expect(listed.body).toEqual([shown]);
    expect(listed.text).not.toContain(secret);
    expect((await list('?eventTypes=order.created')).body).toEqual([]);
    expect((await list(`?projectId=${owner.projectId}`)).body).toEqual([]);
    stream.close();
    await waitUntil(async () => (await rows()) === 0, { message: 'the listener to be gone' });
    expect((await list()).body).toEqual([]);
    await createPet();
    expect(await rows()).toBe(0);
  });

  it.each([
    ['an unknown type', '?eventTypes=pet.created,pet.eaten', 'eventTypes: must be types'],
    ['no type', '?eventTypes=', 'eventTypes: must be types'],
    ['types beside each other', '?eventTypes=pet.createdorder.created', 'eventTypes: must be types'],
    ['a project that is not there', `?projectId=${randomUUID()}`, 'projectId: there is no such project'],
  ])('is refused for %s', async (_name, query, message) => {
    const headers = { accept: 'text/event-stream' };
    const answer = await fixture.api.request('GET', PATH + query, { key: owner.key, headers });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter']);
    expect(answer.body.message.slice(0, message.length)).toBe(message);
    expect(await rows()).toBe(0);
  });

  it('is refused beside ten others of the organization, at whatever replica they are', async () => {
    for (let count = 0; count < 10; count += 1)
      await listen('', { url: count % 2 === 0 ? fixture.api.url : replica.url });
    const headers = { accept: 'text/event-stream' };
    const answer = await fixture.api.request('GET', PATH, { key: owner.key, headers });
    expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited']);
    expect(answer.headers.get('retry-after')).toBe('10');
  });

  it('ends with its key', async () => {
    const body = { name: 'laptop', scopes: ['webhooks:write'] };
    const { body: key } = await fixture.api.request<{ id: string; secret: string }>('POST', '/v1/api-keys', {
      ...{ key: owner.key, body },
    });
    const stream = await listen('', { key: key.secret });
    await fixture.api.request('DELETE', `/v1/api-keys/${key.id}`, { key: owner.key });
    expect(await stream.untilEnd(10_000)).toBe(true);
  });

  it('needs the scope of endpoints', async () => {
    const body = { name: 'reader', scopes: ['webhooks:read'] };
    const { body: key } = await fixture.api.request<{ secret: string }>('POST', '/v1/api-keys', {
      ...{ key: owner.key, body },
    });
    const answer = await fixture.api.request('GET', PATH, { key: key.secret });
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  });

  it('whose replica has died expires, and another replica deletes what is left of it', async () => {
    const { id: organizationId } = (
      await fixture.api.request<{ id: string }>('GET', '/v1/organization', { key: owner.key })
    ).body;
    const insert = (seconds: number) =>
      fixture.api.db
        .insertInto('webhook_listeners')
        .values({
          organization_id: organizationId,
          project_id: null,
          event_types: ['pet.created'],
          expires_at: sql<Date>`now() + make_interval(secs => ${seconds})`,
        })
        .execute();
    await insert(1);
    await createPet();
    expect(await rows()).toBe(2);
    await waitUntil(async () => (await rows()) === 0, { timeoutMs: 30_000, message: 'the row to be deleted' });
    await insert(-1);
    await createPet();
    expect(await rows()).toBeLessThanOrEqual(1);
  });

  it('ends where its row has expired, so that its client opens another one', async () => {
    const stream = await listen();
    await fixture.api.db.deleteFrom('webhook_listeners').where('id', '=', listening(stream).id).execute();
    expect(await stream.untilEnd(30_000)).toBe(true);
  });
});
