/** Organizations share the slots of the workers: receivers that do not answer hold up nobody else. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedWebhookEndpoint } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import type { DeliverJob } from './webhook-fixture.js';
import { isDelivered, PATH, startWebhookFixture, type WebhookFixture } from './webhook-fixture.js';

let fixture: WebhookFixture;

/** The worker of the fixture is one, so these are all slots. */
const SLOTS = 32;

beforeAll(async () => {
  fixture = await startWebhookFixture({ WEBHOOK_CONCURRENCY: String(SLOTS) });
});
afterAll(() => fixture.close());
afterEach(async () => {
  await fixture.clear();
  await sql`delete from webhook_slots`.execute(fixture.api.db);
});

/** Makes endpoints of another organization, each with due deliveries. The worker takes their jobs, and reports nothing. */
async function flood(endpoints: number, each: number): Promise<void> {
  const { key } = await fixture.api.createOrganization('free');
  for (let count = 0; count < endpoints; count++) {
    const body = { url: fixture.freshUrl(), eventTypes: ['pet.created'] };
    const made = await fixture.api.request<CreatedWebhookEndpoint>('POST', PATH, { key, body });
    await sql`
      insert into webhook_deliveries (endpoint_id, type, subject_id, sequence, body)
      select ${made.body.id}, 'pet.created', n::text, 1, '{}' from generate_series(1, ${each}::integer) n`.execute(
      fixture.api.db,
    );
  }
}

async function slots(): Promise<Map<string, number>> {
  const { rows } = await sql<{ organization: string; count: number }>`
    select organization_id as organization, count(*)::integer as count from webhook_slots
    where lease_until > now() group by 1`.execute(fixture.api.db);
  return new Map(rows.map(({ organization, count }) => [organization, count]));
}

const answered = (job: DeliverJob) => fixture.sender.answer(job, { status: 200 });

/** Endpoints that are silent: the worker has taken their jobs, and reports nothing. */
async function createSilent(count: number): Promise<string[]> {
  const urls = [];
  for (let number = 0; number < count; number++) urls.push((await fixture.create(['pet.created'])).url);
  return urls;
}

describe('an organization whose receivers are silent', () => {
  it('has a quarter of the slots, and the next organization is served at once', async () => {
    await createSilent(10);
    for (let count = 0; count < 8; count++) await fixture.createPet();
    const before = await waitUntil(
      async () => {
        const taken = await slots();
        return taken.size === 1 ? [...taken.values()][0] : null;
      },
      { message: 'slots' },
    );
    expect(before).toBeLessThanOrEqual(SLOTS / 4);
    const { key } = await fixture.api.createOrganization('free');
    const url = fixture.freshUrl();
    await fixture.api.request('POST', PATH, { key, body: { url, eventTypes: ['pet.created'] } });
    await fixture.api.request('POST', '/v1/pets', { key, body: { name: 'Rex', categoryId: 1 } });
    await answered(await fixture.sender.nextJob(url));
    expect([...(await slots()).values()].every((count) => count <= SLOTS / 4)).toBe(true);
  });

  it('keeps its slots when it deletes its endpoints, until the requests end', async () => {
    const endpoint = await fixture.create(['pet.created']);
    await fixture.createPet();
    const job = await fixture.sender.nextJob(endpoint.url);
    await fixture.api.request('DELETE', `${PATH}/${endpoint.id}`, { key: fixture.key });
    expect([...(await slots()).values()]).toEqual([1]);
    await answered(job);
    await waitUntil(async () => (await slots()).size === 0, { message: 'the slot' });
  });

  it('sends to an endpoint that timed out in a row one request at a time, and as before after a success', async () => {
    const endpoint = await fixture.create(['pet.created']);
    for (let count = 0; count < 3; count++) {
      await fixture.createPet();
      const job = await fixture.sender.nextJob(endpoint.url);
      await fixture.sender.answer(job, { error: 'timed out after 20000 ms', durationMs: 20_000 });
    }
    const timeouts = async () => {
      const { rows } = await sql<{ timeouts: number }>`
        select timeouts from webhook_endpoints where id = ${endpoint.id}`.execute(fixture.api.db);
      return rows[0]?.timeouts;
    };
    await waitUntil(async () => (await timeouts()) === 3, { message: 'the timeouts' });
    for (let count = 0; count < 3; count++) await fixture.createPet();
    const first = await fixture.sender.nextJob(endpoint.url);
    expect([...(await slots()).values()]).toEqual([1]);
    await answered(first);
    await fixture.untilDelivery(endpoint.id, first.deliveryId, isDelivered);
    expect(await timeouts()).toBe(0);
    await Promise.all([fixture.sender.nextJob(endpoint.url), fixture.sender.nextJob(endpoint.url)]);
  });
});

describe('a slot', () => {
  const made = async () => {
    const endpoint = await fixture.create(['pet.created']);
    await fixture.createPet();
    return { endpoint, job: await fixture.sender.nextJob(endpoint.url) };
  };

  it.each([
    ['a success', { status: 200 }],
    ['a refusal', { status: 500 }],
    ['a time-out', { error: 'timed out after 20000 ms', durationMs: 20_000 }],
    ['an endpoint that is gone', { status: 410 }],
  ])('is free after %s', async (_title, answer) => {
    const { job } = await made();
    expect([...(await slots()).values()]).toEqual([1]);
    await fixture.sender.answer(job, answer);
    await waitUntil(async () => (await slots()).size === 0, { message: 'the slot' });
  });

  it('is free when the lease of its attempt ends, as after the crash of a worker, and the delivery is sent again', async () => {
    const { endpoint, job } = await made();
    // A minute later.
    await sql`update webhook_slots set lease_until = now() - interval '1 second'`.execute(fixture.api.db);
    await fixture.makeDue(job.deliveryId);
    const again = await fixture.sender.nextJob(endpoint.url);
    expect([again.deliveryId, again.attempt]).toEqual([job.deliveryId, job.attempt + 1]);
    expect([...(await slots()).values()]).toEqual([1]);
    // The first worker was alive after all: its result is outdated, and frees nothing of the second attempt.
    await answered(job);
    await answered(again);
    await fixture.untilDelivery(endpoint.id, job.deliveryId, isDelivered);
    await waitUntil(async () => (await slots()).size === 0, { message: 'the slot' });
  });
});

it('ten organizations whose backlogs are never answered leave slots, with two replicas and after a restart', async () => {
  const replica = await fixture.api.startReplica({ WEBHOOK_CONCURRENCY: String(SLOTS) });
  await Promise.all(Array.from({ length: 10 }, () => flood(20, 8)));
  await sql`notify webhook_deliveries`.execute(fixture.api.db);
  await waitUntil(async () => (await slots()).size === 10, { message: 'a slot of each' });
  const endpoint = await fixture.create(['pet.created']);
  await fixture.createPet();
  await answered(await fixture.sender.nextJob(endpoint.url));
  await replica.stopApi();
  await fixture.createPet();
  await answered(await fixture.sender.nextJob(endpoint.url));
  const total = [...(await slots()).values()].reduce((sum, count) => sum + count, 0);
  expect(total).toBeLessThan(SLOTS);
});
