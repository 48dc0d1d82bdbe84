import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import type { ChallengeMethod, DomainEventName, DomainEvents } from '@pets/contracts';
import { openMessaging, type Messaging } from '@pets/messaging';
import { migrateMessaging } from '@pets/messaging/migrate';
import { createLogger } from '@pets/platform';
import {
  expectedDns,
  startDevCa,
  startDevDns,
  startTestPostgres,
  waitUntil,
  type DevCa,
  type DevDns,
  testAuthentication,
  testQueueKeys,
} from '@pets/testing';
import { AccountAnnouncer } from '../src/certificate-authority/ca-accounts.js';
import type { Config } from '../src/config.js';
import { JobsService } from '../src/jobs.service.js';
import { WorkerModule } from '../src/worker.module.js';
import { makeAccountKey, makeCsr } from './certificates.js';
import { startChallengeResponder, type ChallengeResponder } from './issuing-fixture.js';
import { startWebhookReceiver } from './webhook-receiver.js';

const methods: ChallengeMethod[] = ['http-01'];

const expected = expectedDns({ name: 'docs.acme.example' });
const organizationId = randomUUID();
/** Job fields of a new order of a new name. */
const fresh = { clearedHost: null, profile: null, replaces: null, order: null };

const authentication = testAuthentication;
/** Signs jobs with the keys of events. */
const foreign = { jobKeys: authentication.eventKeys, eventKeys: authentication.jobKeys };

describe('the worker', () => {
  const log = createLogger('test', 'silent');
  const dataDir = mkdtempSync(join(tmpdir(), 'dev-ca-'));
  const received: { name: string; data: unknown }[] = [];
  let postgres: Awaited<ReturnType<typeof startTestPostgres>>;
  let dns: DevDns;
  let responder: ChallengeResponder;
  let ca: DevCa;
  let api: Messaging;
  /** Can write to the queues, and does not have the keys of jobs. */
  let intruder: Messaging;
  let messaging: Messaging;
  const dropped: string[] = [];
  let app: INestApplicationContext;

  beforeAll(async () => {
    [postgres, dns, responder] = await Promise.all([startTestPostgres(), startDevDns(), startChallengeResponder()]);
    ca = await startDevCa({ dataDir, dnsServers: [dns.address], httpPort: responder.port });
    await migrateMessaging({ databaseUrl: postgres.url });
    dns.put({ type: 'CNAME', name: expected.name, data: `${expected.targetHost}.` });
    dns.put({ type: 'A', name: expected.targetHost, data: '127.0.0.1' });
    dns.put({ type: 'NS', name: 'acme.example', data: 'Ada.ns.cloudflare.com.' });
    const config: Config = {
      DATABASE_URL: postgres.url,
      DNS_RESOLVERS: [dns.address],
      ...testQueueKeys,
      DNS_ALLOW_PRIVATE_AUTHORITATIVE: false,
      DNS_RESOLVERS_HOLD_ZONES: false,
      DNS_AUTHORITATIVE_ADDRESSES: new Map(),
      ACME_DIRECTORY_URLS: [ca.directoryUrl],
      ACME_ACCOUNT_KEY: [makeAccountKey()],
      ACME_EAB: [],
      ACME_CAA_IDENTITIES: [],
      HTTP01_PORT: responder.port,
      HEALTH_PORT: 0,
      WORKER_CONCURRENCY: 4,
      WEBHOOK_CONCURRENCY: 4,
      ALLOW_PRIVATE_WEBHOOK_TARGETS: true,
      LOG_LEVEL: 'silent',
    };
    api = openMessaging({ databaseUrl: postgres.url, authentication, log });
    intruder = openMessaging({ databaseUrl: postgres.url, authentication: foreign, log });
    api.consumeEvents(async ({ name, data }) => void received.push({ name, data }), { concurrency: 1 });
    const observer = { dropped: (queue: string, reason: string) => void dropped.push(`${queue} ${reason}`) };
    messaging = openMessaging({ databaseUrl: postgres.url, authentication, observer, log });
    app = await NestFactory.createApplicationContext(WorkerModule.with({ config, messaging, log }), {
      logger: false,
    });
    app.get(JobsService).start();
    app.get(AccountAnnouncer).start();
  });

  afterAll(async () => {
    app.get(AccountAnnouncer).stop();
    await Promise.all([messaging.close(), api.close(), intruder.close()]);
    await app.close();
    await ca.close();
    responder.stop();
    await dns.close();
    await postgres.stop();
    rmSync(dataDir, { recursive: true });
  });

  function eventOf<N extends DomainEventName>(name: N): Promise<DomainEvents[N]> {
    return waitUntil(() => received.find((event) => event.name === name)?.data as DomainEvents[N] | undefined);
  }

  const work = (leaseMs: number) => ({
    domainId: randomUUID(),
    generation: 1,
    attempt: 1,
    leaseUntil: new Date(Date.now() + leaseMs).toISOString(),
  });

  it('announces its account at the start', async () => {
    expect(await eventOf('account.ready')).toMatchObject({ directoryUrl: ca.directoryUrl });
  });

  it('answers a DNS check with its findings', async () => {
    const job = work(20_000);
    await api.jobs.checks.addBulk([
      { name: 'verify-dns', payload: { ...job, organizationId, expected, clearedHost: null } },
    ]);
    expect(await eventOf('dns.checked')).toMatchObject({
      domainId: job.domainId,
      findings: {
        lookups: [
          { name: expected.name, type: 'CNAME', answer: { kind: 'found' } },
          { name: expected.name, type: 'A', answer: { kind: 'absent' } },
          { name: expected.name, type: 'AAAA', answer: { kind: 'absent' } },
        ],
        nameServers: ['ada.ns.cloudflare.com'],
      },
    });
  });

  it('answers a repeated check with CAA as well', async () => {
    dns.put({ type: 'CAA', name: 'acme.example', data: '0 issue "dev-ca.test"' });
    await api.jobs.checks.addBulk([
      {
        name: 'reverify-domain',
        payload: {
          ...{ ...work(20_000), organizationId, expected },
          ...{ directoryUrl: ca.directoryUrl, methods },
        },
      },
    ]);
    expect(await eventOf('domain.reverified')).toMatchObject({ caa: { kind: 'permits' } });
  });

  it('issues a certificate', async () => {
    const { thumbprint } = await eventOf('account.ready');
    responder.answer = (token) => `${token}.${thumbprint}`;
    const csrPem = await makeCsr(expected.name);
    const order = { directoryUrl: ca.directoryUrl, accountThumbprint: thumbprint, methods, csrPem, ...fresh };
    await api.jobs.checks.addBulk([{ name: 'issue-certificate', payload: { ...work(60_000), expected, ...order } }]);
    expect((await eventOf('certificate.issued')).chainPem).toContain('BEGIN CERTIFICATE');
  });

  it('orders nothing for a forged job with a CSR of its own', async () => {
    const { thumbprint } = await eventOf('account.ready');
    responder.answer = (token) => `${token}.${thumbprint}`;
    const order = {
      directoryUrl: ca.directoryUrl,
      accountThumbprint: thumbprint,
      methods,
      csrPem: await makeCsr(expected.name),
      ...fresh,
    };
    const forged = work(60_000);
    await intruder.jobs.checks.addBulk([{ name: 'issue-certificate', payload: { ...forged, expected, ...order } }]);
    await waitUntil(() => dropped.length > 0);
    const own = work(60_000);
    await api.jobs.checks.addBulk([{ name: 'issue-certificate', payload: { ...own, expected, ...order } }]);
    const isAbout = ({ data }: { data: unknown }, domainId: string) =>
      (data as { domainId?: string }).domainId === domainId;
    await waitUntil(() => received.some((event) => isAbout(event, own.domainId)));
    expect(received.filter((event) => isAbout(event, forged.domainId))).toEqual([]);
    expect(dropped).toHaveLength(1);
    expect(dropped[0]).toMatch(/ unknown_key$/);
  });

  it('fetches renewal information', async () => {
    const { directoryUrl } = ca;
    const job = { ...work(20_000), directoryUrl, certificateIdentifier: 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE' };
    await api.jobs.checks.addBulk([{ name: 'fetch-renewal-info', payload: job }]);
    expect(await eventOf('renewal_info.fetched')).toMatchObject({ directoryUrl, problem: { status: 404 } });
  });

  it('sends webhooks from their own queue', async () => {
    const receiver = await startWebhookReceiver((_request, response) => response.writeHead(204).end());
    const { leaseUntil } = work(60_000);
    const attempt = { deliveryId: randomUUID(), attempt: 3 };
    const url = `http://127.0.0.1:${receiver.port}/`;
    const payload = { ...attempt, leaseUntil, url, headers: { 'webhook-id': attempt.deliveryId }, body: '{}' };
    await api.webhooks.addBulk([{ name: 'deliver-webhook', payload }]);
    expect(await eventOf('webhook.attempted')).toMatchObject({ ...attempt, status: 204, error: null });
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });

  it('probes edges', async () => {
    await api.jobs.checks.addBulk([
      {
        name: 'probe-edge',
        payload: {
          ...{ ...work(10_000), name: expected.name, leafSha256: 'ab' },
          ...{ edges: [], spares: [], rechecks: [], suspects: [] },
        },
      },
    ]);
    expect(await eventOf('certificate.not_served')).toMatchObject({ seen: [] });
  });
});
