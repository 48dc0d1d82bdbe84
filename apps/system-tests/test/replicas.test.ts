/** Two of each service on one Redis: the work is shared, none of it is done twice, and news reaches every replica. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWhen, waitUntil } from '@pets/testing';
import pg from 'pg';
import { describeForwarding } from './replicas/forwarding.e2e.js';
import { recordEvents, writtenEvents } from './replicas/recorded-events.js';
import { missingForReplicas, startReplicas, type ReplicasFixture } from './replicas/replicas-fixture.js';
import { createPet, goLiveOn, subscribeToPets, visitOn } from './replicas/steps.js';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.js';

jest.setTimeout(120_000);

const NAMES = Array.from({ length: 12 }, (_, index) => `site-${index}.example.com`);
const PETS = 40;

/** The name of the connection says which replica claims due work. */
const RECORD_CLAIMS = `
  create table claims (api text not null);
  create function record_claim() returns trigger language plpgsql as $$
    begin insert into claims values (current_setting('application_name')); return null; end $$;
  create trigger record_claim after update of lease_until on domain_work
    for each row when (new.attempt > old.attempt) execute function record_claim()`;

describeWhen(describe, 'two of each service', missingForReplicas(), () => {
  let fixture: ReplicasFixture;
  let receiver: WebhookReceiver | undefined;
  let database: pg.Client;

  beforeAll(async () => {
    fixture = await startReplicas({ apis: 2, workers: 2, edges: 2 });
    database = new pg.Client({ connectionString: fixture.databaseUrl, query_timeout: 10_000 });
    await database.connect();
    await database.query(RECORD_CLAIMS);
  });
  afterAll(async () => {
    await database?.end();
    await fixture?.close();
    await receiver?.close();
  });

  it('bring domains live once each, share the work, and send the same events from either replica', async () => {
    const recordings = fixture.apis.map(({ url }) => recordEvents(fixture, url));
    await Promise.all(NAMES.map((name) => goLiveOn(fixture, name)));
    const written = await writtenEvents(fixture);
    const types = Map.groupBy(written, (line) => line.split(' ')[1]);
    const once = ['owner.added', 'dns.checked', 'certificate.issued', 'certificate.served'];
    expect([...types].map(([type, lines]) => [type, lines.length]).sort()).toEqual(
      once.map((type) => [type, NAMES.length]).sort(),
    );
    const { rows: certificates } = await database.query('select state, count(*)::int from certificates group by state');
    expect(certificates).toEqual([{ state: 'issued', count: NAMES.length }]);
    const { rows: claims } = await database.query<{ api: string }>('select distinct api from claims order by api');
    expect(claims.map(({ api }) => api)).toEqual(['api-0', 'api-1']);
    for (const recording of recordings) {
      await recording.until(written.length);
      await recording.stop();
      expect(recording.lines).toEqual(written);
    }
    for (const { httpsPort } of fixture.edges)
      for (const name of NAMES) expect(await visitOn(fixture, name, httpsPort)).toBe(200);
  });

  it('send each webhook once', async () => {
    receiver = await startWebhookReceiver(() => 204);
    await subscribeToPets(fixture, receiver.url);
    const created = await Promise.all(Array.from({ length: PETS }, () => createPet(fixture)));
    const { requests } = receiver;
    await waitUntil(() => requests.length >= PETS, { timeoutMs: 30_000, message: `${PETS} webhooks` });
    const settled = `select count(*)::int from webhook_deliveries where state = 'delivered'`;
    const isSettled = async () => (await database.query<{ count: number }>(settled)).rows[0]?.count === PETS;
    await waitUntil(isSettled, { timeoutMs: 30_000, message: 'every delivery to be noted' });
    const delivered = requests.map(({ body }) => (JSON.parse(body) as { data: { id: number } }).data.id);
    expect(delivered.sort((a, b) => a - b)).toEqual(created.sort((a, b) => a - b));
    const { rows } = await database.query('select max(number) as most from webhook_attempts');
    expect(rows).toEqual([{ most: 1 }]);
  });

  it('refuse a revoked key within two seconds wherever it comes, and end its streams', async () => {
    const { data: key } = await fixture.pets.POST('/v1/api-keys', {
      body: { name: 'short', scopes: ['domains:read'] },
    });
    if (key === undefined) throw new Error('no key was made');
    const ask = async (url: string) => {
      const headers = { authorization: `Bearer ${key.secret}` };
      const path = `/v1/projects/${fixture.projectId}/domains`;
      return (await fetch(url + path, { headers, signal: AbortSignal.timeout(5_000) })).status;
    };
    expect(await Promise.all(fixture.apis.map(({ url }) => ask(url)))).toEqual([200, 200]);
    const ends = fixture.apis.map(({ url }) => streamEnd(fixture, url, key.secret));
    await Promise.all(ends.map(({ opened }) => opened));
    const path = { apiKeyId: key.id };
    expect((await fixture.pets.DELETE('/v1/api-keys/{apiKeyId}', { params: { path } })).response.status).toBe(204);
    const areRefused = async () => (await Promise.all(fixture.apis.map(({ url }) => ask(url)))).every((s) => s === 401);
    await waitUntil(areRefused, { timeoutMs: 2_000, message: 'both to refuse the key' });
    await Promise.all(ends.map(({ ended }) => ended));
  });

  describeForwarding(() => ({ stack: fixture, database }));
});

/** A stream that is read to its end. */
function streamEnd(fixture: ReplicasFixture, url: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const limit = AbortSignal.timeout(15_000);
  const opened = fetch(`${url}/v1/projects/${fixture.projectId}/events`, { headers, signal: limit });
  return { opened, ended: opened.then((answer) => answer.text()) };
}
