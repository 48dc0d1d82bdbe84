import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { WebhookDelivery, WebhookDeliveryWithBody } from '@pets/contracts';
import { sql } from 'kysely';
import { retryPausesMs } from '../src/events/webhooks/retry-schedule.js';
import { hasFailures, isDelivered, PATH, signatureOf, startWebhookWorld, type WebhookWorld } from './webhook-world.js';

let world: WebhookWorld;

beforeAll(async () => {
  world = await startWebhookWorld();
});
afterAll(() => world.close());
afterEach(() => world.clear());

const post = <Body>(path: string) => world.api.request<Body>('POST', `${PATH}/${path}`, { key: world.key });

describe('a delivery', () => {
  it('is signed, and has the animal as the API shows it', async () => {
    const { endpoint, job, petId } = await world.told();
    expect(job.headers).toEqual({
      'webhook-id': job.deliveryId,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': signatureOf(endpoint.secret, job),
    });
    const shown = await world.api.request('GET', `/v1/pets/${petId}`, { key: world.key });
    const body = JSON.parse(job.body) as { timestamp: string };
    expect(body).toEqual({ type: 'pet.created', timestamp: body.timestamp, sequence: 1, data: shown.body });
    expect(new Date(body.timestamp).toISOString()).toBe(body.timestamp);
    const { body: delivery } = await world.api.request<WebhookDeliveryWithBody>(
      'GET',
      `${PATH}/${endpoint.id}/deliveries/${job.deliveryId}`,
      { key: world.key },
    );
    expect(delivery).toMatchObject({ state: 'pending', subjectId: String(petId), sequence: 1, body: job.body });
    expect(delivery.createdAt).toBe(body.timestamp);
  });

  it('of an order has it as the API shows it, digit for digit', async () => {
    const endpoint = await world.create(['order.created']);
    await sql`alter table orders alter column id restart with 9007199254740993`.execute(world.api.db);
    const order = { petId: await world.createPet(), quantity: 3 };
    const placed = await world.api.request('POST', '/v1/store/orders', { key: world.key, body: order });
    const { body } = await world.sender.nextJob(endpoint.url);
    expect(body.slice(body.indexOf('"data":') + '"data":'.length, -1)).toBe(placed.text);
  });

  it('is delivered by any 2xx, once', async () => {
    const { endpoint, job } = await world.told();
    await world.sender.answer(job, { status: 204, durationMs: 12, bodyStart: '' });
    const delivered = await world.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    const [attempt] = delivered.attempts;
    expect(attempt).toMatchObject({ number: 1, status: 204, durationMs: 12, error: null, bodyStart: '' });
    expect(delivered).toMatchObject({ nextAttemptAt: null, deliveredAt: expect.any(String) });
  });

  it('is made for each endpoint that wants it, and for no other', async () => {
    const [one, other] = [await world.create(['pet.created', 'order.created']), await world.create(['pet.created'])];
    const deaf = await world.create(['order.created']);
    const { body: project } = await world.api.request<{ id: string }>('POST', '/v1/projects', {
      key: world.key,
      body: { name: 'P', slug: `p-${randomUUID()}` },
    });
    const ofProject = await world.create(['pet.created'], { projectId: project.id });
    const disabled = await world.create(['pet.created']);
    await world.change(disabled.id, { enabled: false });
    await world.createPet();
    for (const { url, id } of [one, other]) {
      await world.sender.nextJob(url);
      expect(await world.deliveries(id)).toHaveLength(1);
    }
    for (const { id } of [deaf, ofProject, disabled]) expect(await world.deliveries(id)).toEqual([]);
  });

  it('is not made where the animal was not', async () => {
    const endpoint = await world.create(['pet.created']);
    const refused = await world.api.request('POST', '/v1/pets', { key: world.key, body: { name: '', categoryId: 1 } });
    expect(refused.status).toBe(400);
    const headers = { 'idempotency-key': `"${randomUUID()}"` };
    const create = () =>
      world.api.request('POST', '/v1/pets', { key: world.key, headers, body: { name: 'Rex', categoryId: 1 } });
    expect([(await create()).status, (await create()).status]).toEqual([201, 201]);
    expect(await world.deliveries(endpoint.id)).toHaveLength(1);
  });
});

describe('a failed try', () => {
  it('is kept with what came, and made again by the schedule, newly signed under the same id', async () => {
    const { endpoint, job } = await world.told();
    await world.sender.answer(job, { status: 500, bodyStart: 'oops' });
    const failed = await world.untilDelivery(endpoint.id, job.deliveryId, hasFailures(1));
    expect(failed.attempts[0]).toMatchObject({ status: 500, error: 'answered with status 500', bodyStart: 'oops' });
    const waitMs = Date.parse(failed.nextAttemptAt ?? '') - Date.now();
    expect(waitMs).toBeLessThan(5_500);
    expect((await world.get(endpoint.id)).failingSince).toBe(failed.attempts[0]?.at);
    await world.makeDue(job.deliveryId);
    const again = await world.sender.nextJob(endpoint.url);
    expect(again).toMatchObject({ deliveryId: job.deliveryId, attempt: 2, body: job.body });
    expect(again.headers['webhook-signature']).toBe(signatureOf(endpoint.secret, again));
    await world.sender.answer(again, { status: 200 });
    await world.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    expect((await world.get(endpoint.id)).failingSince).toBeNull();
  });

  it('is made again when the receiver wants', async () => {
    const { endpoint, job } = await world.told();
    const retryAt = new Date(Date.now() + 3_600_000).toISOString();
    await world.sender.answer(job, { status: 503, retryAt });
    const failed = await world.untilDelivery(endpoint.id, job.deliveryId, hasFailures(1));
    expect(Math.abs(Date.parse(failed.nextAttemptAt ?? '') - Date.parse(retryAt))).toBeLessThan(100);
  });

  it('changes nothing when it comes again, or late', async () => {
    const { endpoint, job } = await world.told();
    await world.makeDue(job.deliveryId); // its lease has run out
    const second = await world.sender.nextJob(endpoint.url);
    await world.sender.answer(job, { status: 200 });
    await world.sender.answer(second, { status: 500 });
    await world.sender.answer(second, { status: 200 });
    const failed = await world.untilDelivery(endpoint.id, job.deliveryId, hasFailures(1));
    await world.sender.answer(second, { status: 200 });
    expect(failed.attempts.map(({ number, status }) => [number, status])).toEqual([[2, 500]]);
    await world.makeDue(job.deliveryId);
    await world.sender.nextJob(endpoint.url); // everything before has been applied by now
    expect((await world.delivery(endpoint.id, job.deliveryId)).attempts).toHaveLength(1);
  });

  it('with 410 disables the endpoint, and ends what waits', async () => {
    const endpoint = await world.create(['pet.created']);
    const ids = [await world.createPet(), await world.createPet()];
    const [job, waiting] = [await world.sender.nextJob(endpoint.url), await world.sender.nextJob(endpoint.url)];
    await world.sender.answer(job, { status: 410 });
    await world.untilDelivery(endpoint.id, job.deliveryId, ({ state }) => state === 'failed');
    expect(await world.get(endpoint.id)).toMatchObject({ enabled: false, disabledReason: 'gone' });
    expect((await world.delivery(endpoint.id, waiting.deliveryId)).state).toBe('failed');
    await world.createPet();
    expect(await world.deliveries(endpoint.id)).toHaveLength(ids.length);
    const conflict = await post<{ code: string }>(`${endpoint.id}/deliveries/${job.deliveryId}/replay`);
    expect([conflict.status, conflict.body.code]).toEqual([409, 'conflict']);
    expect((await post(`${endpoint.id}/test`)).status).toBe(409);
  });

  it.each([
    ['leaves the endpoint enabled when it has taken something lately', '1 hour', true],
    ['disables the endpoint when it has taken nothing for three days', '70 hours', false],
  ])('that is the last %s', async (_name, failingFor, enabled) => {
    const { endpoint, job } = await world.told();
    await sql`update webhook_deliveries set failures = ${retryPausesMs.length} where id = ${job.deliveryId}`.execute(
      world.api.db,
    );
    await sql`
      update webhook_endpoints set failing_since = now() - ${failingFor}::interval
      where id = ${endpoint.id}`.execute(world.api.db);
    await world.sender.answer(job, { error: 'connect ECONNREFUSED' });
    await world.untilDelivery(endpoint.id, job.deliveryId, ({ state }) => state === 'failed');
    const disabledReason = enabled ? null : 'failing';
    expect(await world.get(endpoint.id)).toMatchObject({ enabled, disabledReason });
  });

  it('for want of a secret that opens is one like any other', async () => {
    const endpoint = await world.create(['order.created']);
    await sql`update webhook_secrets set sealed = 'v1.test.AAAA.AAAA' where endpoint_id = ${endpoint.id}`.execute(
      world.api.db,
    );
    const { body: sent } = await post<WebhookDelivery>(`${endpoint.id}/test`);
    const failed = await world.untilDelivery(endpoint.id, sent.id, hasFailures(1));
    expect(failed.attempts[0]).toMatchObject({ status: null, error: expect.stringContaining('could not be signed') });
  });
});

describe('a replay', () => {
  it('is sent under the same id, with all retries anew', async () => {
    const { endpoint, job } = await world.told();
    await world.sender.answer(job, { status: 200 });
    await world.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    const asked = await post<WebhookDelivery>(`${endpoint.id}/deliveries/${job.deliveryId}/replay`);
    expect([asked.status, asked.body.state, asked.body.deliveredAt]).toEqual([202, 'pending', null]);
    const again = await world.sender.nextJob(endpoint.url);
    expect([again.deliveryId, again.attempt, again.body]).toEqual([job.deliveryId, 2, job.body]);
    await world.sender.answer(again, { status: 200 });
    const { attempts } = await world.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('leaves one that is being sent alone', async () => {
    const { endpoint, job } = await world.told();
    expect((await post(`${endpoint.id}/deliveries/${job.deliveryId}/replay`)).status).toBe(202);
    await world.sender.answer(job, { status: 200 });
    const { attempts } = await world.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    expect(attempts).toHaveLength(1);
  });

  it('of another endpoint’s delivery is 404', async () => {
    const { job } = await world.told();
    const other = await world.create(['domain.live']);
    expect((await post(`${other.id}/deliveries/${job.deliveryId}/replay`)).status).toBe(404);
    expect((await post(`${other.id}/deliveries/${randomUUID()}/replay`)).status).toBe(404);
  });
});

describe('the list of deliveries', () => {
  it('is read in pages, newest first, and of one state', async () => {
    const endpoint = await world.create(['pet.created']);
    for (let count = 0; count < 3; count++) await world.createPet();
    const jobs = [];
    for (let count = 0; count < 3; count++) jobs.push(await world.sender.nextJob(endpoint.url));
    const numbers = (page: readonly WebhookDelivery[]) => page.map(({ subjectId }) => Number(subjectId));
    const path = `${PATH}/${endpoint.id}/deliveries`;
    const first = await world.api.request<WebhookDelivery[]>('GET', `${path}?limit=2`, { key: world.key });
    const [, next = ''] = /<https:\/\/api\.example([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    await world.createPet(); // a newer one moves no page
    const second = await world.api.request<WebhookDelivery[]>('GET', next, { key: world.key });
    const all = [...numbers(first.body), ...numbers(second.body)];
    expect([all.length, [...all].sort((a, b) => b - a)]).toEqual([3, all]);
    expect(second.headers.get('link')).toBeNull();
    const [job] = jobs;
    if (job === undefined) throw new Error('nothing was sent');
    await world.sender.answer(job, { status: 200 });
    await world.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    expect((await world.deliveries(endpoint.id, '?state=delivered')).map(({ id }) => id)).toEqual([job.deliveryId]);
    expect(await world.deliveries(endpoint.id, '?state=pending')).toHaveLength(3);
  });
});
