import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { WebhookDelivery, WebhookDeliveryWithBody } from '@pets/contracts';
import { retryPausesMs } from '@pets/domains';
import { sql } from 'kysely';
import {
  hasFailures,
  isDelivered,
  PATH,
  signatureOf,
  startWebhookFixture,
  type WebhookFixture,
} from './webhook-fixture.js';

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await startWebhookFixture();
});
afterAll(() => fixture.close());
afterEach(() => fixture.clear());

const post = <Body>(path: string) => fixture.api.request<Body>('POST', `${PATH}/${path}`, { key: fixture.key });

describe('a delivery', () => {
  it('is signed, and has the animal as the API shows it', async () => {
    const { endpoint, job, petId } = await fixture.createPetDelivery();
    expect(job.headers).toEqual({
      'webhook-id': job.deliveryId,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': signatureOf(endpoint.secret, job),
    });
    const shown = await fixture.api.request('GET', `/v1/pets/${petId}`, { key: fixture.key });
    const body = JSON.parse(job.body) as { timestamp: string };
    expect(body).toEqual({ type: 'pet.created', timestamp: body.timestamp, sequence: 1, data: shown.body });
    expect(new Date(body.timestamp).toISOString()).toBe(body.timestamp);
    const { body: delivery } = await fixture.api.request<WebhookDeliveryWithBody>(
      'GET',
      `${PATH}/${endpoint.id}/deliveries/${job.deliveryId}`,
      { key: fixture.key },
    );
    expect(delivery).toMatchObject({ state: 'pending', subjectId: String(petId), sequence: 1, body: job.body });
    expect(delivery.createdAt).toBe(body.timestamp);
  });

  it('of an order has it as the API shows it, digit for digit', async () => {
    const endpoint = await fixture.create(['order.created']);
    await sql`alter table orders alter column id restart with 9007199254740993`.execute(fixture.api.db);
    const order = { petId: await fixture.createPet(), quantity: 3 };
    const placed = await fixture.api.request('POST', '/v1/store/orders', { key: fixture.key, body: order });
    const { body } = await fixture.sender.nextJob(endpoint.url);
    expect(body.slice(body.indexOf('"data":') + '"data":'.length, -1)).toBe(placed.text);
  });

  it('is delivered by any 2xx, once', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await fixture.sender.answer(job, { status: 204, durationMs: 12, bodyStart: '' });
    const delivered = await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    const [attempt] = delivered.attempts;
    expect(attempt).toMatchObject({ number: 1, status: 204, durationMs: 12, error: null, bodyStart: '' });
    expect(delivered).toMatchObject({ nextAttemptAt: null, deliveredAt: expect.any(String) });
  });

  it('is made for each endpoint that wants it, and for no other', async () => {
    const [one, other] = [
      await fixture.create(['pet.created', 'order.created']),
      await fixture.create(['pet.created']),
    ];
    const deaf = await fixture.create(['order.created']);
    const { body: project } = await fixture.api.request<{ id: string }>('POST', '/v1/projects', {
      key: fixture.key,
      body: { name: 'P', slug: `p-${randomUUID()}` },
    });
    const ofProject = await fixture.create(['pet.created'], { projectId: project.id });
    const disabled = await fixture.create(['pet.created']);
    await fixture.change(disabled.id, { enabled: false });
    await fixture.createPet();
    for (const { url, id } of [one, other]) {
      await fixture.sender.nextJob(url);
      expect(await fixture.deliveries(id)).toHaveLength(1);
    }
    for (const { id } of [deaf, ofProject, disabled]) expect(await fixture.deliveries(id)).toEqual([]);
  });

  it('is not made where the animal was not', async () => {
    const endpoint = await fixture.create(['pet.created']);
    const refused = await fixture.api.request('POST', '/v1/pets', {
      key: fixture.key,
      body: { name: '', categoryId: 1 },
    });
    expect(refused.status).toBe(400);
    const headers = { 'idempotency-key': `"${randomUUID()}"` };
    const create = () =>
      fixture.api.request('POST', '/v1/pets', { key: fixture.key, headers, body: { name: 'Rex', categoryId: 1 } });
    expect([(await create()).status, (await create()).status]).toEqual([201, 201]);
    expect(await fixture.deliveries(endpoint.id)).toHaveLength(1);
  });
});

describe('a failed try', () => {
  it('is kept with what came, and made again by the schedule, newly signed under the same id', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await fixture.sender.answer(job, { status: 500, bodyStart: 'oops' });
    const failed = await fixture.untilDelivery(endpoint.id, job.deliveryId, hasFailures(1));
    expect(failed.attempts[0]).toMatchObject({ status: 500, error: 'answered with status 500', bodyStart: 'oops' });
    const waitMs = Date.parse(failed.nextAttemptAt ?? '') - Date.now();
    expect(waitMs).toBeLessThan(5_500);
    expect((await fixture.get(endpoint.id)).failingSince).toBe(failed.attempts[0]?.at);
    await fixture.makeDue(job.deliveryId);
    const again = await fixture.sender.nextJob(endpoint.url);
    expect(again).toMatchObject({ deliveryId: job.deliveryId, attempt: 2, body: job.body });
    expect(again.headers['webhook-signature']).toBe(signatureOf(endpoint.secret, again));
    await fixture.sender.answer(again, { status: 200 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    expect((await fixture.get(endpoint.id)).failingSince).toBeNull();
  });

  it('is made again when the receiver wants', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    const retryAt = new Date(Date.now() + 3_600_000).toISOString();
    await fixture.sender.answer(job, { status: 503, retryAt });
    const failed = await fixture.untilDelivery(endpoint.id, job.deliveryId, hasFailures(1));
    expect(Math.abs(Date.parse(failed.nextAttemptAt ?? '') - Date.parse(retryAt))).toBeLessThan(100);
  });

  it('changes nothing when it comes again, or late', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await fixture.makeDue(job.deliveryId); // its lease has run out
    const second = await fixture.sender.nextJob(endpoint.url);
    await fixture.sender.answer(job, { status: 200 });
    await fixture.sender.answer(second, { status: 500 });
    const failed = await fixture.untilDelivery(endpoint.id, job.deliveryId, hasFailures(1));
    await fixture.sender.answer(second, { status: 200 });
    expect(failed.attempts.map(({ number, status }) => [number, status])).toEqual([[2, 500]]);
    await fixture.makeDue(job.deliveryId);
    await fixture.sender.nextJob(endpoint.url); // everything before has been applied by now
    expect((await fixture.delivery(endpoint.id, job.deliveryId)).attempts).toHaveLength(1);
  });

  it('with 410 disables the endpoint, and ends what waits', async () => {
    const endpoint = await fixture.create(['pet.created']);
    const ids = [await fixture.createPet(), await fixture.createPet()];
    const [job, waiting] = [await fixture.sender.nextJob(endpoint.url), await fixture.sender.nextJob(endpoint.url)];
    await fixture.sender.answer(job, { status: 410 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, ({ state }) => state === 'failed');
    expect(await fixture.get(endpoint.id)).toMatchObject({ enabled: false, disabledReason: 'gone' });
    expect((await fixture.delivery(endpoint.id, waiting.deliveryId)).state).toBe('failed');
    await fixture.createPet();
    expect(await fixture.deliveries(endpoint.id)).toHaveLength(ids.length);
    const conflict = await post<{ code: string }>(`${endpoint.id}/deliveries/${job.deliveryId}/replay`);
    expect(conflict.status).toBe(409);
    expect(conflict.body.code).toBe('conflict');
    expect((await post(`${endpoint.id}/test`)).status).toBe(409);
  });

  it.each([
    ['leaves the endpoint enabled when it has taken something lately', '1 hour', true],
    ['disables the endpoint when it has taken nothing for three days', '70 hours', false],
  ])('that is the last %s', async (_name, failingFor, enabled) => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await sql`update webhook_deliveries set failures = ${retryPausesMs.length} where id = ${job.deliveryId}`.execute(
      fixture.api.db,
    );
    await sql`
      update webhook_endpoints set failing_since = now() - ${failingFor}::interval
      where id = ${endpoint.id}`.execute(fixture.api.db);
    await fixture.sender.answer(job, { error: 'connect ECONNREFUSED' });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, ({ state }) => state === 'failed');
    const disabledReason = enabled ? null : 'failing';
    expect(await fixture.get(endpoint.id)).toMatchObject({ enabled, disabledReason });
  });

  it('for want of a secret that opens is one like any other', async () => {
    const endpoint = await fixture.create(['order.created']);
    await sql`update webhook_secrets set sealed = 'v1.test.AAAA.AAAA' where endpoint_id = ${endpoint.id}`.execute(
      fixture.api.db,
    );
    const { body: sent } = await post<WebhookDelivery>(`${endpoint.id}/test`);
    const failed = await fixture.untilDelivery(endpoint.id, sent.id, hasFailures(1));
    expect(failed.attempts[0]).toMatchObject({ status: null, error: expect.stringContaining('could not be signed') });
  });
});

describe('a replay', () => {
  it('is sent under the same id, with all retries again', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await fixture.sender.answer(job, { status: 200 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    const asked = await post<WebhookDelivery>(`${endpoint.id}/deliveries/${job.deliveryId}/replay`);
    expect(asked.status).toBe(202);
    expect(asked.body.state).toBe('pending');
    expect(asked.body.deliveredAt).toBeNull();
    const again = await fixture.sender.nextJob(endpoint.url);
    expect(again.deliveryId).toEqual(job.deliveryId);
    expect(again.attempt).toBe(2);
    expect(again.body).toEqual(job.body);
    await fixture.sender.answer(again, { status: 200 });
    const { attempts } = await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('leaves one that is being sent alone', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    expect((await post(`${endpoint.id}/deliveries/${job.deliveryId}/replay`)).status).toBe(202);
    await fixture.sender.answer(job, { status: 200 });
    const { attempts } = await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    expect(attempts).toHaveLength(1);
  });

  it('of another endpoint’s delivery is 404', async () => {
    const { job } = await fixture.createPetDelivery();
    const other = await fixture.create(['domain.live']);
    expect((await post(`${other.id}/deliveries/${job.deliveryId}/replay`)).status).toBe(404);
    expect((await post(`${other.id}/deliveries/${randomUUID()}/replay`)).status).toBe(404);
  });
});

describe('the list of deliveries', () => {
  it('is read in pages, newest first, and of one state', async () => {
    const endpoint = await fixture.create(['pet.created']);
    for (let count = 0; count < 3; count++) await fixture.createPet();
    const jobs = [];
    for (let count = 0; count < 3; count++) jobs.push(await fixture.sender.nextJob(endpoint.url));
    const numbers = (page: readonly WebhookDelivery[]) => page.map(({ subjectId }) => Number(subjectId));
    const path = `${PATH}/${endpoint.id}/deliveries`;
    const first = await fixture.api.request<WebhookDelivery[]>('GET', `${path}?limit=2`, { key: fixture.key });
    const [, next = ''] = /<https:\/\/api\.example([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    await fixture.createPet(); // a newer one moves no page
    const second = await fixture.api.request<WebhookDelivery[]>('GET', next, { key: fixture.key });
    const all = [...numbers(first.body), ...numbers(second.body)];
    expect(all.length).toBe(3);
    expect([...all].sort((a, b) => b - a)).toEqual(all);
    expect(second.headers.get('link')).toBeNull();
    const [job] = jobs;
    if (job === undefined) throw new Error('nothing was sent');
    await fixture.sender.answer(job, { status: 200 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    expect((await fixture.deliveries(endpoint.id, '?state=delivered')).map(({ id }) => id)).toEqual([job.deliveryId]);
    expect(await fixture.deliveries(endpoint.id, '?state=pending')).toHaveLength(3);
  });
});
