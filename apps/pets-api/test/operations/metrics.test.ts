import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queues } from '@pets/contracts';
import { freePort, observedMetrics, startTcpProxy, waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { letsEncrypt } from '../certificates/certificate-steps.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { attemptOf } from '../scripted-worker.js';
import { openSession } from '../access/session-client.js';
import { scrape, scrapeReplica, type Scrape } from './scrape.js';

let fixture: DomainFixture;
let metricsUrl: string;

beforeAll(async () => {
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}`;
  const settings = { HOST: '127.0.0.1', METRICS_PORT: String(port), ACME_DIRECTORY_URLS: letsEncrypt };
  fixture = await startDomainFixture(undefined, settings);
});
afterAll(() => fixture.close());

/** A page that reads everything: totals are kept for a minute by all replicas. */
async function freshScrape(): Promise<Scrape> {
  await sql`delete from shared_readings`.execute(fixture.api.db);
  return scrapeReplica(fixture.api);
}

async function makeLive(): Promise<string> {
  const { id, name, issue } = await fixture.verified();
  await fixture.sign({ ...issue }, name);
  const probe = await fixture.worker.nextJob('probe-edge', id);
  await fixture.api.messaging.events.emit('certificate.served', { ...attemptOf(probe), leafSha256: probe.leafSha256 });
  await fixture.untilState(id, 'live');
  return id;
}

describe('pets-api counts', () => {
  const requests = (page: Scrape, method: string, route: string, status: string) =>
    page.value('http_server_request_duration_seconds_count', {
      http_request_method: method,
      http_route: route,
      http_response_status_code: status,
    });

  it('requests by method, route and status', async () => {
    await fixture.api.request('GET', '/v1/pets?limit=1', { key: fixture.key });
    await fixture.api.request('GET', '/v1/pets/999999999', { key: fixture.key });
    await waitUntil(async () => requests(await scrape(metricsUrl), 'GET', '/v1/pets', '200') === 1);
    expect(requests(await scrape(metricsUrl), 'GET', '/v1/pets/:petId', '404')).toBe(1);
  });

  it('without labels that a client chose', async () => {
    await fixture.api.request('GET', '/v1/chosen-path?chosen=query', { headers: { 'user-agent': 'chosen-agent' } });
    const method = await new Promise((resolve, reject) =>
      request(`${fixture.api.url}/v1/chosen-path`, { method: 'PROPFIND' }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end(),
    );
    await waitUntil(async () => requests(await scrape(metricsUrl), '_OTHER', '', String(method)) === 1);
    const { text } = await scrape(metricsUrl);
    expect(requests(await scrape(metricsUrl), 'GET', '', '404')).toBe(1);
    expect(text).not.toMatch(/chosen|PROPFIND/);
  });

  it('dispatch lag, event handling, and the time until domains are live', async () => {
    await makeLive();
    const page = await scrape(metricsUrl);
    expect(page.value('pets_dispatch_lag_seconds_count', { kind: 'issuance' })).toBe(1);
    for (const event of ['dns.checked', 'certificate.issued', 'certificate.served'])
      expect(page.value('pets_event_handling_duration_seconds_count', { event, result: 'handled' })).toBe(1);
    for (const since of ['added', 'verified']) {
      expect(page.value('pets_domain_time_to_live_seconds_count', { since })).toBe(1);
      expect(page.value('pets_domain_time_to_live_seconds_sum', { since })).toBeLessThan(30);
    }
  });
});

describe('pets-api reports', () => {
  it('domains by state, and alerts of those that point here', async () => {
    const live = await makeLive();
    const { id: elsewhere } = await fixture.add(fixture.freshName());
    await sql`update domains set certificate_alert = 'expiring' where id = ${live}`.execute(fixture.api.db);
    await sql`update domains set misconfigured = true, certificate_alert = 'expired' where id = ${elsewhere}`.execute(
      fixture.api.db,
    );
    const page = await freshScrape();
    const { rows } = await sql<{ live: number }>`
      select count(*)::integer as live from domains where state = 'live'`.execute(fixture.api.db);
    expect(page.value('pets_domains', { state: 'live' })).toBe(rows[0]?.live);
    expect(page.value('pets_domains', { state: 'awaiting_dns' })).toBe(1);
    expect(page.value('pets_domains_misconfigured')).toBe(1);
    expect(page.value('pets_domain_certificate_alerts', { alert: 'expiring' })).toBe(1);
    expect(page.value('pets_domain_certificate_alerts', { alert: 'expired' })).toBe(0);
  });

  it('when certificates end: only the newest of each domain that is served', async () => {
    const id = await makeLive();
    await sql`update certificates set not_after = now() + interval '80 days'`.execute(fixture.api.db);
    await sql`update certificates set not_after = now() + interval '36 hours' where domain_id = ${id}`.execute(
      fixture.api.db,
    );
    const page = await freshScrape();
    const ending = (days: string) => page.value('pets_certificates_ending_within', { days });
    expect([ending('1'), ending('3'), ending('60')]).toEqual([0, 1, 1]);
    expect(page.value('pets_certificate_shortest_days_left')).toBeCloseTo(1.5, 2);
    expect(page.value('pets_certificates')).toBe(page.value('pets_domains', { state: 'live' }));
  });

  it('since when no order has succeeded', async () => {
    await makeLive();
    const age = async () => (await freshScrape()).value('pets_certificate_newest_age_seconds');
    expect(await age()).toBeLessThan(60);
    const { db } = fixture.api;
    await sql`update certificates set issued_at = issued_at - interval '7 hours'`.execute(db);
    const older = await age();
    await sql`update certificates set issued_at = issued_at + interval '7 hours'`.execute(db);
    expect(Math.abs((older ?? 0) - 7 * 3_600)).toBeLessThan(60);
  });

  it('objects of certificates that are still to be written or deleted', async () => {
    const id = await makeLive();
    const pending = (page: Scrape) =>
      ['write', 'delete'].map((operation) => page.value('pets_certificate_objects_pending', { operation }));
    expect(pending(await freshScrape())).toEqual([0, 0]);
    await sql`update certificates set object_written_at = null where domain_id = ${id}`.execute(fixture.api.db);
    expect(pending(await freshScrape())).toEqual([1, 0]);
    await sql`update certificates set csr_pem = '' where domain_id = ${id}`.execute(fixture.api.db);
    expect(pending(await freshScrape())).toEqual([0, 1]);
  });

  it('the use of CA limits', async () => {
    // The CA gives back one order every 36 seconds: as if all had just been placed, none has been given back yet.
    await sql`update certificates set created_at = now() where ordered`.execute(fixture.api.db);
    const page = await freshScrape();
    const ca = 'acme-v02.api.letsencrypt.org';
    const { rows } = await sql<{ issued: number }>`
      select count(*)::integer as issued from certificates where ordered`.execute(fixture.api.db);
    expect(rows[0]?.issued).toBeGreaterThan(0);
    expect(page.value('pets_ca_limit_used', { ca, limit: 'orders' })).toBe(rows[0]?.issued);
    expect(page.value('pets_ca_limit_used', { ca, limit: 'registered_domain' })).toBe(rows[0]?.issued);
    expect(page.value('pets_ca_limit_used', { ca, limit: 'exact_set' })).toBe(1);
    expect(page.value('pets_ca_limit', { ca, limit: 'orders' })).toBe(300);
  });

  it('edges and their lag', async () => {
    await sql`
      insert into edges (id, epoch, acked_version, http_address, https_address, last_contact_at, session_id)
      select 'near', epoch, version - 1, 'a:1', 'a:2', now(), gen_random_uuid() from edge_feed union all
      select 'away', epoch, 0, 'b:1', 'b:2', now() - interval '30 seconds', gen_random_uuid() from edge_feed union all
      select 'gone', epoch, 0, 'c:1', 'c:2', now() - interval '1 hour', gen_random_uuid() from edge_feed`.execute(
      fixture.api.db,
    );
    await sql`update edges set probe_failures = 3 where id in ('near', 'away')`.execute(fixture.api.db);
    const page = await freshScrape();
    await sql`delete from edges`.execute(fixture.api.db);
    expect(page.value('pets_edges', { contact: 'reachable' })).toBe(1);
    expect(page.value('pets_edges', { contact: 'silent' })).toBe(1);
    expect(page.value('pets_edge_feed_versions_behind')).toBe(1);
    expect(page.value('pets_edges_failing_probes')).toBe(1);
  });

  it('the newest snapshot of the routes, and builds', async () => {
    await sql`
      insert into edge_snapshots (id, epoch, version, finished_at, hosts, bytes)
      select gen_random_uuid(), epoch, version - 1, now() - interval '1 hour', 7, 900 from edge_feed union all
      select gen_random_uuid(), epoch, version, null, null, null from edge_feed`.execute(fixture.api.db);
    const page = await freshScrape();
    await sql`delete from edge_snapshots`.execute(fixture.api.db);
    expect(page.value('pets_edge_snapshot_age_seconds')).toBeGreaterThanOrEqual(3_600);
    expect(page.value('pets_edge_snapshot_versions_behind')).toBe(1);
    expect(page.value('pets_edge_snapshot_bytes')).toBe(900);
    expect(page.value('pets_edge_snapshot_hosts')).toBe(7);
    expect(page.value('pets_edge_snapshot_builds_total', { result: 'failed' })).toBe(0);
  });

  it('jobs in the queues', async () => {
    const page = await freshScrape();
    for (const queue of Object.values(queues)) {
      expect(page.value('pets_queue_jobs', { queue, state: 'waiting' })).toBe(0);
      expect(page.value('pets_queue_oldest_waiting_seconds', { queue })).toBe(0);
    }
  });

  it('how far the clock of the database is ahead', async () => {
    const page = await freshScrape();
    expect(Math.abs(page.value('pets_database_clock_ahead_seconds') ?? Number.NaN)).toBeLessThan(1);
    expect(page.value('pets_edge_clock_ahead_seconds')).toBe(0);
  });

  it('how far the clock of the edge that differs most is ahead', async () => {
    const { epoch, version } = await new EdgeFeedRepository(fixture.api.db).head();
    const clients = await Promise.all(
      [2, -40].map(async (aheadSeconds) => {
        const client = await openSession(fixture.api.url, {
          edgeId: `edge-ahead${aheadSeconds}`,
          epoch,
          after: version,
        });
        client.ack(version, { sentAtMs: Date.now() + 1_000 * aheadSeconds });
        return client;
      }),
    );
    const ahead = async () => (await scrape(metricsUrl)).value('pets_edge_clock_ahead_seconds') ?? Number.NaN;
    await waitUntil(async () => Math.abs((await ahead()) + 40) < 5);
    for (const client of clients) client.close();
    await waitUntil(async () => (await ahead()) === 0);
    await fixture.api.db.deleteFrom('edges').execute();
  });

  it('metrics of the Node process', async () => {
    expect((await scrape(metricsUrl)).value('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('every metric that the dashboard and the alerts use', async () => {
    const asked = observedMetrics('pets_', 'http_server_', 'process_', 'nodejs_');
    expect(asked.length).toBeGreaterThan(20);
    const { names } = await scrape(metricsUrl);
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('/metrics', () => {
  it('is at its own port alone', async () => {
    expect((await fixture.api.request('GET', '/metrics')).status).toBe(404);
    expect((await fetch(`${metricsUrl}/`)).status).toBe(404);
  });

  it('answers while the database does not, without its values', async () => {
    const databaseUrl = new URL(fixture.api.databaseUrl);
    const proxy = await startTcpProxy({ port: Number(databaseUrl.port) });
    databaseUrl.port = String(proxy.port);
    const port = await freePort();
    const replica = await fixture.api.startReplica({ METRICS_PORT: String(port), DATABASE_URL: databaseUrl.href });
    proxy.silence();
    const before = await scrape(`http://127.0.0.1:${port}`);
    const page = await scrape(`http://127.0.0.1:${port}`);
    proxy.heal();
    await replica.stopApi();
    await proxy.close();
    const failed = (of: Scrape) => of.value('pets_readings_failed_total', { source: 'database' });
    expect([failed(before), failed(page)]).toEqual([0, 3]);
    expect(page.value('pets_domains', { state: 'live' })).toBeUndefined();
    expect(page.value('pets_certificates')).toBeUndefined();
    expect(page.value('process_resident_memory_bytes')).toBeGreaterThan(0);
  });
});
