import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, WebhookDelivery, WebhookDeliveryWithBody, WebhookStatistics } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { WebhookDeliveriesRepository } from '../../src/events/webhooks/webhook-deliveries.repository.js';
import { WebhookStatisticsRepository } from '../../src/events/webhooks/webhook-statistics.repository.js';
import { BEFORE_ALL } from '../../src/http/paging/pages.js';
import { plansOf, rowsRead } from '../query-plan.js';
import { isDelivered, PATH, startWebhookFixture, type WebhookFixture } from './webhook-fixture.js';

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await startWebhookFixture();
});
afterAll(() => fixture.close());
afterEach(() => fixture.clear());

const get = <Body = ApiError>(path: string, key = fixture.key) =>
  fixture.api.request<Body>('GET', `${PATH}/${path}`, { key });
const replay = (endpointId: string, id: string) =>
  fixture.api.request('POST', `${PATH}/${endpointId}/deliveries/${id}/replay`, { key: fixture.key });

describe('an attempt', () => {
  it('is shown with the headers of request and response, but not in lists', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    const requestHeaders = { ...job.headers, 'content-type': 'application/json' };
    const responseHeaders = { server: 'nginx', 'x-request-id': '7' };
    await fixture.sender.answer(job, { status: 500, bodyStart: 'oops', requestHeaders, responseHeaders });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, ({ attempts }) => attempts.length > 0);
    const path = `${endpoint.id}/deliveries`;
    const { body: delivery } = await get<WebhookDeliveryWithBody>(`${path}/${job.deliveryId}`);
    expect(delivery.attempts).toMatchObject([{ requestHeaders, responseHeaders, bodyStart: 'oops' }]);
    expect(delivery).toMatchObject({ failures: 1, maxAttempts: 10 });
    const listed = await get<WebhookDelivery[]>(path);
    expect(listed.body[0]?.attempts[0]).toEqual({
      number: 1,
      at: delivery.attempts[0]?.at,
      status: 500,
      durationMs: 5,
      error: 'answered with status 500',
      bodyStart: 'oops',
    });
  });

  it('of a worker of the version before has no headers', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await fixture.sender.answer(job, { status: 200 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    const { body: delivery } = await get<WebhookDeliveryWithBody>(`${endpoint.id}/deliveries/${job.deliveryId}`);
    expect(delivery.attempts).toMatchObject([{ requestHeaders: null, responseHeaders: null }]);
    expect(delivery.failures).toBe(0);
  });

  it('is deleted when twenty newer ones exist, however often its owner resends', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await sql`update webhook_deliveries set attempt = 24, lease_until = null where id = ${job.deliveryId}`.execute(
      fixture.api.db,
    );
    await sql`
      insert into webhook_attempts (delivery_id, number, at, duration_ms)
      select ${job.deliveryId}, n, now(), 1 from generate_series(1, 24) n`.execute(fixture.api.db);
    await replay(endpoint.id, job.deliveryId);
    await fixture.sender.answer(await fixture.sender.nextJob(endpoint.url), { status: 200 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    const { rows } = await sql<{ first: number; count: number }>`
      select min(number) as first, count(*)::integer as count from webhook_attempts
      where delivery_id = ${job.deliveryId}`.execute(fixture.api.db);
    expect(rows).toEqual([{ first: 6, count: 20 }]);
  });
});

describe('the statistics of an endpoint', () => {
  const statisticsOf = async (id: string, query = '') =>
    (await get<WebhookStatistics>(`${id}/statistics${query}`)).body;

  it('count attempts and deliveries, with the time they took', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    expect(await statisticsOf(endpoint.id)).toMatchObject({ attempts: 0, medianMs: null, p95Ms: null });
    await fixture.sender.answer(job, { status: 500, durationMs: 1_000 });
    await waitUntil(async () => (await statisticsOf(endpoint.id)).attempts === 1);
    await fixture.makeDue(job.deliveryId);
    await fixture.sender.answer(await fixture.sender.nextJob(endpoint.url), { status: 204, durationMs: 40 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    const day = await statisticsOf(endpoint.id);
    expect(day).toMatchObject({ period: 'day', attempts: 2, failedAttempts: 1, delivered: 1, failed: 0 });
    expect([day.medianMs, day.p95Ms]).toEqual([expect.closeTo(40, -1), expect.closeTo(1_000, -2)]);
    expect(day.points).toHaveLength(24);
    const week = await statisticsOf(endpoint.id, '?period=week');
    expect(week).toMatchObject({ period: 'week', attempts: 2, failedAttempts: 1 });
    expect(week.points.at(-1)).toMatchObject({ attempts: 2, failedAttempts: 1 });
  });

  it('count a result once, and a delivery that is given up', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await fixture.sender.answer(job, { status: 410 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, ({ state }) => state === 'failed');
    await fixture.sender.answer(job, { status: 410 });
    const other = await fixture.createPetDelivery();
    await fixture.sender.answer(other.job, { status: 200 });
    await fixture.untilDelivery(other.endpoint.id, other.job.deliveryId, isDelivered); // the repeated result has been read
    expect(await statisticsOf(endpoint.id)).toMatchObject({ attempts: 1, failedAttempts: 1, delivered: 0, failed: 1 });
  });

  it('are for its organization, and end with it', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await fixture.sender.answer(job, { status: 200 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    const { key } = await fixture.api.createOrganization('pro');
    expect((await get(`${endpoint.id}/statistics`, key)).status).toBe(404);
    expect((await get(`${endpoint.id}/statistics?period=year`)).body.code).toBe('invalid_parameter');
    await fixture.api.request('DELETE', `${PATH}/${endpoint.id}`, { key: fixture.key });
    const left = await fixture.api.db.selectFrom('webhook_statistics').select('hour').execute();
    expect(left).toEqual([]);
  });
});

describe('the list of deliveries', () => {
  it('is searched by the id of a delivery or of a resource, and by type', async () => {
    const endpoint = await fixture.create(['pet.created', 'order.created']);
    const petId = await fixture.createPet();
    await fixture.createPet();
    const order = { petId, quantity: 1 };
    await fixture.api.request('POST', '/v1/store/orders', { key: fixture.key, body: order });
    const all = await fixture.deliveries(endpoint.id);
    const found = async (query: string) => (await fixture.deliveries(endpoint.id, query)).map(({ id }) => id);
    const ids = (is: (delivery: WebhookDelivery) => boolean) => all.filter(is).map(({ id }) => id);
    expect(all).toHaveLength(3);
    expect(await found('?type=order.created')).toEqual(ids(({ type }) => type === 'order.created'));
    expect(await found('?type=endpoint.test')).toEqual([]);
    expect(await found(`?search=${petId}&type=pet.created`)).toEqual(
      ids(({ type, subjectId }) => type === 'pet.created' && subjectId === String(petId)),
    );
    const [first] = all;
    expect(await found(`?search=${first?.id.toUpperCase()}`)).toEqual([first?.id]);
    expect(await found(`?search=${randomUUID()}`)).toEqual([]);
    const other = await fixture.create(['domain.live']);
    expect(await fixture.deliveries(other.id, `?search=${first?.id}`)).toEqual([]);
  });

  it('reads few rows, whatever the filter and however many deliveries there are', async () => {
    const endpoint = await fixture.create(['domain.live']);
    await sql`
      insert into webhook_deliveries (endpoint_id, type, subject_id, sequence, body, state, due_at)
      select ${endpoint.id}, case n % 1000 when 0 then 'pet.created' else 'order.created' end, (n % 5000)::text, 1, '{}',
        case n % 10000 when 0 then 'failed' else 'delivered' end, null
      from generate_series(1, 50000) n`.execute(fixture.api.db);
    await sql`analyze webhook_deliveries`.execute(fixture.api.db);
    const bounds = { limit: 20, afterId: BEFORE_ALL };
    const filters = [{}, { state: 'failed' }, { state: 'pending' }, { state: 'delivered' }] as const;
    const searches = [{ type: 'pet.created' }, { search: '77' }, { search: randomUUID() }] as const;
    for (const filter of [...filters, ...searches]) {
      const query = { state: undefined, type: undefined, search: undefined, ...filter };
      const plans = await plansOf(fixture.api.db, (tx) =>
        new WebhookDeliveriesRepository(tx).list(endpoint.id, query, bounds),
      );
      const most = Math.max(
        ...plans
          .flat()
          .map((scan) => rowsRead(scan))
          .filter(Number.isFinite),
      );
      expect([filter, most <= 1_001]).toEqual([filter, true]);
    }
    const statistics = await plansOf(fixture.api.db, (tx) =>
      new WebhookStatisticsRepository(tx).find(endpoint.id, new Date()),
    );
    expect(statistics.flat().map((scan) => scan['Relation Name'])).toEqual(['webhook_statistics']);
  });
});
