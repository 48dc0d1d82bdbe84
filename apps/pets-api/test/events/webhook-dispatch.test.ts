import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedWebhookEndpoint, WebhookDelivery } from '@pets/contracts';
import { parseKeyRing } from '@pets/platform';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { runRetention } from '../operations/retention-fixture.js';
import { WebhookWorkRepository } from '../../src/events/webhooks/webhook-work.repository.js';
import { hasFailures, PATH, signatureOf, startWebhookFixture, type WebhookFixture } from './webhook-fixture.js';

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await startWebhookFixture();
});
afterAll(() => fixture.close());
afterEach(() => fixture.clear());

const post = <Body>(path: string) => fixture.api.request<Body>('POST', `${PATH}/${path}`, { key: fixture.key });

describe('what happens to one resource', () => {
  /** The tests of an endpoint are about one resource: the endpoint. */
  const test = async (id: string) => (await post<WebhookDelivery>(`${id}/test`)).body;

  it('is sent in order, but is not held up for ever', async () => {
    const endpoint = await fixture.create(['domain.live']);
    const [first, second] = [await test(endpoint.id), await test(endpoint.id)];
    expect([first.sequence, second.sequence]).toEqual([1, 2]);
    for (const attempt of [1, 2]) {
      const job = await fixture.sender.nextJob(endpoint.url);
      expect(job.deliveryId).toEqual(first.id);
      expect(job.attempt).toEqual(attempt);
      await fixture.sender.answer(job, { status: 500 });
      await fixture.untilDelivery(endpoint.id, first.id, hasFailures(attempt));
      if (attempt === 1) await fixture.makeDue(first.id);
    }
    expect((await fixture.sender.nextJob(endpoint.url)).deliveryId).toBe(second.id);
  });
});

describe('due deliveries', () => {
  it('of one endpoint are sent eight at a time, and hold up nobody else', async () => {
    const slow = await fixture.create(['pet.created']);
    const pets = 20;
    for (let count = 0; count < pets; count++) await fixture.createPet();
    const jobs = [];
    for (let count = 0; count < 8; count++) jobs.push(await fixture.sender.nextJob(slow.url));
    const { job } = await fixture.createPetDelivery(); // another one's turn comes at once
    await fixture.sender.answer(job, { status: 200 });
    const { rows } = await sql<{ running: bigint }>`
      select count(*) as running from webhook_deliveries
      where endpoint_id = ${slow.id} and lease_until > now()`.execute(fixture.api.db);
    expect(rows).toEqual([{ running: 8n }]);
    const [first] = jobs;
    if (first === undefined) throw new Error('nothing was sent');
    await fixture.sender.answer(first, { status: 200 });
    await fixture.sender.nextJob(slow.url);
  });

  it('are claimed by one replica each', async () => {
    const endpoint = await fixture.create(['domain.live']);
    await sql`
      insert into webhook_deliveries (endpoint_id, type, subject_id, sequence, body, due_at)
      select ${endpoint.id}, 'pet.created', n::text, 1, '{}', now() + interval '1 hour'
      from generate_series(1, 8) n`.execute(fixture.api.db);
    const repositories = Array.from({ length: 6 }, () => new WebhookWorkRepository(fixture.api.db));
    await sql`update webhook_deliveries set due_at = now() - interval '1 second' where endpoint_id = ${endpoint.id}`.execute(
      fixture.api.db,
    );
    const claims = (
      await Promise.all(repositories.map((repository) => repository.claimDue(50, { total: 128, perReceiver: 16 })))
    ).flat();
    const own = claims.filter(({ endpointId }) => endpointId === endpoint.id).map(({ deliveryId }) => deliveryId);
    const sent = [];
    for (let count = own.length; count < 8; count++) sent.push((await fixture.sender.nextJob(endpoint.url)).deliveryId);
    expect(new Set([...own, ...sent]).size).toBe(8);
    expect((await fixture.deliveries(endpoint.id)).length).toBe(8);
  });

  it('are sent once an attempt by two replicas, whichever applies the result', async () => {
    const replica = await fixture.api.startReplica();
    const endpoint = await fixture.create(['pet.created']);
    const before = fixture.sender.count();
    const pets = 30;
    await Promise.all(
      Array.from({ length: pets }, (_, index) =>
        (index % 2 === 0 ? replica : fixture.api).request('POST', '/v1/pets', {
          key: fixture.key,
          body: { name: `Rex ${index}`, categoryId: 1 },
        }),
      ),
    );
    const ids = [];
    for (let count = 0; count < pets; count++) {
      const job = await fixture.sender.nextJob(endpoint.url);
      ids.push(`${job.deliveryId} ${job.attempt}`);
      await fixture.sender.answer(job, { status: 200 });
    }
    expect(new Set(ids).size).toBe(pets);
    expect(ids.filter((id) => !id.endsWith(' 1'))).toEqual([]);
    expect(fixture.sender.count() - before).toBe(pets);
    await replica.stopApi();
  });
});

describe('old deliveries', () => {
  it('are deleted after thirty days, with their tries', async () => {
    const { endpoint, job } = await fixture.createPetDelivery();
    await fixture.sender.answer(job, { status: 500 });
    await fixture.untilDelivery(endpoint.id, job.deliveryId, hasFailures(1));
    expect(await runRetention(fixture.api.db, { days: 29 })).toMatchObject({ webhook_deliveries: 0 });
    expect(await runRetention(fixture.api.db, { days: 31 })).toMatchObject({ webhook_deliveries: 1 });
    expect(await fixture.deliveries(endpoint.id)).toEqual([]);
    const { db } = fixture.api;
    const attempts = db.selectFrom('webhook_attempts').select('number').where('delivery_id', '=', job.deliveryId);
    expect(await attempts.execute()).toEqual([]);
  });
});

describe('a rotated secret', () => {
  it('goes on signing for a day, after the new one; then the new one signs alone', async () => {
    const endpoint = await fixture.create(['domain.live']);
    const { body: rotated } = await post<CreatedWebhookEndpoint>(`${endpoint.id}/rotate-secret`);
    await post(`${endpoint.id}/test`);
    const both = await fixture.sender.nextJob(endpoint.url);
    const expected = [rotated.secret, endpoint.secret].map((secret) => signatureOf(secret, both)).join(' ');
    expect(both.headers['webhook-signature']).toBe(expected);
    await fixture.sender.answer(both, { status: 200 });
    await sql`update webhook_secrets set expires_at = now() - interval '1 second' where expires_at is not null`.execute(
      fixture.api.db,
    );
    await post(`${endpoint.id}/test`);
    const alone = await fixture.sender.nextJob(endpoint.url);
    expect(alone.headers['webhook-signature']).toBe(signatureOf(rotated.secret, alone));
  });

  it('is put below a new key-encryption key like everything that is sealed', async () => {
    const endpoint = await fixture.create(['domain.live']);
    const keys = `2027:${Buffer.alloc(32, 9).toString('base64')},test:${Buffer.alloc(32, 7).toString('base64')}`;
    const replica = await fixture.api.startReplica({ CERTIFICATE_KEKS: keys });
    const settings = {
      ENVIRONMENT: 'development',
      CERTIFICATE_KEKS: parseKeyRing(keys),
      STORAGE_URL: 'file:///nonexistent', // there are no certificates
    } as const;
    const done = (await runAdminCommand(['keys', 'rewrap'], fixture.api.db, settings)) as {
      rewrapped: { webhookSecrets: number };
      left: unknown[];
    };
    expect(done.rewrapped.webhookSecrets).toBeGreaterThan(0);
    expect(done.left).toEqual([]);
    await fixture.api.stopApi(); // it has not the new key
    const path = `${PATH}/${endpoint.id}/test`;
    expect((await replica.request('POST', path, { key: fixture.key })).status).toBe(202);
    const job = await fixture.sender.nextJob(endpoint.url);
    expect(job.headers['webhook-signature']).toBe(signatureOf(endpoint.secret, job));
  });
});
