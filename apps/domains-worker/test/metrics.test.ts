import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DomainEventName, DomainEvents, DomainJobs } from '@pets/contracts';
import { openMessaging, type Messaging } from '@pets/messaging';
import { migrateMessaging } from '@pets/messaging/migrate';
import { createLogger } from '@pets/platform';
import { observedMetrics, startTestPostgres, testAuthentication, waitUntil, type TestPostgres } from '@pets/testing';
import { observeMessaging, WorkerMetrics } from '../src/metrics/worker-metrics.js';

const log = createLogger('test', 'silent');
const attempt = { domainId: randomUUID(), generation: 1, attempt: 1 };
const failed: DomainEvents['certificate.failed'] = {
  ...{ ...attempt, directoryUrl: 'https://ca.test/dir', stage: 'challenge', ordered: true },
  ...{ method: null, problem: null, gate: null, order: null },
};
const webhook: DomainEvents['webhook.attempted'] = {
  ...{ deliveryId: randomUUID(), attempt: 1, at: new Date().toISOString() },
  ...{ status: 503, error: null, durationMs: 1_500, retryAt: null, bodyStart: null },
  ...{ requestHeaders: null, responseHeaders: null },
};

describe('worker metrics', () => {
  let postgres: TestPostgres;
  let store: Messaging;
  let metrics: WorkerMetrics;
  let messaging: Messaging;
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);

  beforeAll(async () => {
    postgres = await startTestPostgres();
    await migrateMessaging({ databaseUrl: postgres.url });
    store = openMessaging({ databaseUrl: postgres.url, authentication: testAuthentication, log });
  });
  afterAll(async () => {
    await store.close();
    await postgres.stop();
  });
  beforeEach(() => {
    metrics = new WorkerMetrics();
    lines.splice(0);
    messaging = observeMessaging(store, { metrics, log: createLogger('test', 'info', { write }) });
  });

  const seriesOf = async () => (await metrics.registry.metrics()).split('\n');

  it.each<[string, DomainEventName, DomainEvents[DomainEventName], string[]]>([
    [
      'certificates that were issued',
      'certificate.issued',
      {
        ...{ ...attempt, directoryUrl: 'https://ca.test:14000/dir' },
        ...{ chainPem: 'x', method: 'http-01' },
      },
      ['worker_issuance_attempts_total{ca="ca.test:14000",method="http-01",result="issued"} 1'],
    ],
    [
      'those that were not, by how far they came',
      'certificate.failed',
      { ...failed, method: 'dns-01' },
      ['worker_issuance_attempts_total{ca="ca.test",method="dns-01",result="challenge"} 1'],
    ],
    [
      'those that our name server prevented',
      'certificate.failed',
      {
        ...{ ...failed, method: 'dns-01', stage: 'gate', ordered: false },
        gate: {
          dns: { checkedAt: '2030-01-01T00:00:00.000Z', lookups: [], nameServers: null, zone: null },
          ...{ methods: ['dns-01'], caa: null, reachability: [], challengeError: 'REFUSED' },
        },
      },
      ['worker_issuance_attempts_total{ca="ca.test",method="dns-01",result="zone"} 1'],
    ],
    [
      'webhooks by their answers',
      'webhook.attempted',
      webhook,
      [
        'worker_webhook_duration_seconds_bucket{le="1",result="5xx"} 0',
        'worker_webhook_duration_seconds_bucket{le="2.5",result="5xx"} 1',
      ],
    ],
    [
      'webhooks without one',
      'webhook.attempted',
      { ...webhook, status: null, error: 'refused' },
      ['worker_webhook_duration_seconds_count{result="no_answer"} 1'],
    ],
  ])('%s', async (_what, name, event, series) => {
    await messaging.events.emit(name, event);
    expect(await seriesOf()).toEqual(expect.arrayContaining([...series, `worker_facts_total{fact="${name}"} 1`]));
  });

  it('whether a CA answers', async () => {
    const ca = { directoryUrl: 'https://ca.test/dir' };
    let isSilent = false;
    metrics.describeCas(() => [{ ...ca, isSilent }]);
    expect(await seriesOf()).toContain('worker_ca_silent{ca="ca.test"} 0');
    isSilent = true;
    expect(await seriesOf()).toContain('worker_ca_silent{ca="ca.test"} 1');
  });

  it('look-ups at each resolver by result', async () => {
    metrics.describeResolvers(() => [{ resolver: '10.0.0.1:53', result: 'failed', count: 3 }]);
    expect(await seriesOf()).toContain('worker_dns_lookups_total{resolver="10.0.0.1:53",result="failed"} 3');
  });

  it('domains that a resolver alone refuses', async () => {
    metrics.describeValidation(() => [{ resolver: '10.0.0.1:53', count: 4 }]);
    expect(await seriesOf()).toContain('worker_dns_refused_domains{resolver="10.0.0.1:53"} 4');
  });

  it('has every series of the dashboard and the alerts', async () => {
    metrics.describeCas(() => []);
    metrics.describeResolvers(() => []);
    metrics.describeValidation(() => []);
    const asked = observedMetrics('worker_');
    expect(asked.length).toBeGreaterThan(3);
    const exported = await metrics.registry.getMetricsAsJSON();
    const names = exported.map(({ name }) => name);
    expect(asked.filter((name) => !names.includes(name.replace(/_(?:bucket|count|sum)$/, '')))).toEqual([]);
  });

  it('counts jobs by result', async () => {
    const probe = (name: string): DomainJobs['probe-edge'] => ({
      ...{ ...attempt, domainId: randomUUID(), leaseUntil: new Date(Date.now() + 20_000).toISOString() },
      ...{ name, edges: [], spares: [], rechecks: [], suspects: [], leafSha256: 'ab' },
    });
    const unexpected = () => Promise.reject(new Error('unexpected'));
    const consumer = messaging.processJobs(
      {
        'verify-dns': unexpected,
        'reverify-domain': unexpected,
        'issue-certificate': unexpected,
        'fetch-renewal-info': unexpected,
        'revoke-certificate': unexpected,
        'check-revocation-list': unexpected,
        'probe-edge': ({ name }) => (name === 'fails.test' ? Promise.reject(new Error('no')) : Promise.resolve()),
      },
      { lane: 'checks', concurrency: 1 },
    );
    const names = ['works.test', 'fails.test', 'works-too.test'];
    await store.jobs.checks.addBulk(names.map((name) => ({ name: 'probe-edge', payload: probe(name) })));
    const counted = (result: string, count: number) => {
      const isCount = (line: string) =>
        line.startsWith('worker_job_duration_seconds_count') &&
        line.includes('job="probe-edge"') &&
        line.includes(`result="${result}"`) &&
        line.endsWith(` ${count}`);
      return waitUntil(async () => (await seriesOf()).some(isCount));
    };
    await Promise.all([counted('completed', 2), counted('failed', 1)]);
    expect((await seriesOf()).join()).not.toContain('.test');
    expect(lines.filter(({ msg }) => msg === 'job finished')).toHaveLength(3);
    for (const line of lines)
      expect(line).toMatchObject({ job: 'probe-edge', domainId: expect.any(String), generation: 1, attempt: 1 });
    await consumer.close();
  });
});
