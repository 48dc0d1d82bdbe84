import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  certificateKeyBinding,
  PLATFORM_ORGANIZATION,
  type CaProblem,
  type Project,
  type SealedCertificate,
} from '@pets/contracts';
import { knownCaLimits } from '@pets/domains';
import { openFileStorage, parseKeyRing, readStoredCertificate, unseal, type FileStorage } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { CaUsageRepository } from '../../src/certificates/ca-usage.repository.js';
import { PlatformCertificateObjects } from '../../src/certificates/platform/platform-certificate-objects.js';
import { PlatformCertificateOutcomes } from '../../src/certificates/platform/platform-certificate-outcomes.service.js';
import { ReadingsRepository } from '../../src/operations/monitoring/readings.repository.js';
import { letsEncrypt } from './certificate-steps.js';
import { failWritesOf } from './open-order-steps.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { EDGE_TOKEN } from '../harness.js';
import { runRetention } from '../operations/retention-fixture.js';
import {
  orderId,
  PLATFORM_NAME,
  platformCertificateSteps,
  resultOf,
  withoutRecord,
} from './platform-certificate-steps.js';
import { attemptOf } from '../scripted-worker.js';
import { openSession } from '../access/session-client.js';

const ring = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);
const DAY_SECONDS = 86_400;

let fixture: DomainFixture;
let steps: ReturnType<typeof platformCertificateSteps>;
let folder: string;
let storage: FileStorage;

const zone = { ACME_DNS_ZONE: 'acme.pets.localhost' };
const GATEWAY_TOKEN = 'gateway-token-of-the-tests-and-of-nothing-else';
const settings = {
  ...{ ...zone, ACME_DIRECTORY_URLS: letsEncrypt, GATEWAY_TOKEN },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platform-certificate-'));
  const STORAGE_URL = pathToFileURL(folder).href;
  storage = await openFileStorage(STORAGE_URL);
  fixture = await startDomainFixture(undefined, { ...settings, STORAGE_URL });
  steps = platformCertificateSteps(fixture);
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true });
});

/** Returns the platform host of the deployed project. */
async function platformHost(): Promise<string> {
  const { key, projectId, api } = fixture;
  const { body } = await api.request<Project>('GET', `/v1/projects/${projectId}`, { key });
  return new URL(body.platformUrl).hostname;
}

const problem = (type: string, detail: string): CaProblem => ({
  ...{ type: `urn:ietf:params:acme:error:${type}`, detail, status: 500, retryAt: null },
});

describe('the certificate of the platform', () => {
  it('is ordered at the start, by DNS-01 at a fixed name, once for all replicas', async () => {
    await fixture.api.startReplica();
    const job = await steps.nextJob();
    expect(job).toMatchObject({
      methods: ['dns-01'],
      directoryUrl: letsEncrypt,
      replaces: null,
      expected: {
        name: PLATFORM_NAME,
        delegation: { host: '_acme-challenge.pets.localhost', target: 'platform.acme.pets.localhost' },
      },
    });
    expect(job.clearedHost).toBeNull();
    expect(await steps.attempts()).toMatchObject([{ state: 'pending' }]);
    await steps.fail(job, withoutRecord(job));
  });

  it('names the record to create while it is missing, and tries again within a minute', async () => {
    const { dueInSeconds, problemCode, problem: text, failures } = await steps.schedule();
    expect(problemCode).toBe('delegation_missing');
    expect(text).toContain(
      'create the CNAME record of _acme-challenge.pets.localhost to exactly platform.acme.pets.localhost',
    );
    expect(dueInSeconds).toBeGreaterThan(30);
    expect(dueInSeconds).toBeLessThanOrEqual(60);
    expect(failures).toBe(0);
    expect(await steps.published()).toBeNull();
  });

  it('is stored sealed, published to the edges, and scheduled for its renewal', async () => {
    const edge = await openSession(fixture.api.url, { edgeId: 'edge-platform-1', after: 0 });
    const job = await steps.nextDueJob();
    const chainPem = await steps.issue(job);
    const id = await steps.published();
    const issued = (await steps.attempts()).at(-1);
    expect(issued).toMatchObject({ id, state: 'issued', ordered: true, written: true });
    const stored = await readStoredCertificate(storage, id ?? '');
    expect(stored).toMatchObject({ id, organizationId: PLATFORM_ORGANIZATION, chainPem });
    const key = unseal(ring, stored?.sealedKey ?? '', certificateKeyBinding(id ?? '', PLATFORM_ORGANIZATION));
    expect(key).toContain('PRIVATE KEY');
    const headers = { authorization: `Bearer ${EDGE_TOKEN}` };
    const fromApi = await fixture.api.request<SealedCertificate>('GET', `/internal/edge/certificates/${id}`, {
      headers,
    });
    expect(fromApi.body).toEqual(stored);
    const { dueInSeconds, problemCode, infoDueInSeconds } = await steps.schedule();
    expect(dueInSeconds / DAY_SECONDS).toBeGreaterThan(54);
    expect(dueInSeconds / DAY_SECONDS).toBeLessThan(61);
    expect([problemCode, infoDueInSeconds === null]).toEqual([null, false]);
    edge.close();
  });

  it('reaches an edge with the first batch of its session', async () => {
    const { rows } = await sql<{ epoch: string; version: string }>`select epoch, version from edge_feed`.execute(
      fixture.api.db,
    );
    const version = Number(rows[0]?.version);
    const edge = await openSession(fixture.api.url, {
      ...{ edgeId: 'edge-platform-2', epoch: rows[0]?.epoch, after: version },
    });
    edge.ack(version);
    expect((await edge.next('batch')).platformCertificate).toBe(await steps.published());
    edge.close();
  });

  it.each([
    ['a project', 200],
    ['another name', 404],
  ])('is given to a gateway for %s', async (name, status) => {
    const host = name === 'a project' ? await platformHost() : 'other.pets.localhost';
    const headers = { authorization: `Bearer ${GATEWAY_TOKEN}` };
    const path = `/internal/gateway/certificate?server_name=${host}`;
    const response = await fixture.api.request('GET', path, { headers });
    expect(response.status).toBe(status);
    expect(/BEGIN CERTIFICATE[^]*BEGIN PRIVATE KEY/.test(response.text)).toBe(status === 200);
  });

  it('is renewed when its CA asks for it, and the order names the certificate that it replaces', async () => {
    await steps.makeDue('info_due_at');
    const question = await fixture.worker.nextJob('fetch-renewal-info', orderId);
    const before = await steps.published();
    const window = { start: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z' };
    const { directoryUrl, certificateIdentifier } = question;
    await fixture.api.messaging.events.emit('renewal_info.fetched', {
      ...{ ...attemptOf(question), directoryUrl, certificateIdentifier, window },
      ...{ explanationUrl: null, retryAt: null, problem: null },
    });
    const job = await steps.nextJob();
    expect(job.replaces).toBe(certificateIdentifier);
    await steps.issue(job);
    expect(await steps.published()).not.toBe(before);
  });

  it('comes from one order, which outlives its job and is continued by the next one', async () => {
    const job = await steps.nextDueJob();
    const base = { ...attemptOf(job), directoryUrl: job.directoryUrl };
    const orderUrl = 'http://ca.test/order/platform';
    const placed = { method: 'dns-01', orderUrl, expires: null, replaces: job.replaces } as const;
    await fixture.api.messaging.events.emit('certificate.ordered', { ...base, ...placed });
    await fixture.api.messaging.events.emit('certificate.pending', { ...base, retryAt: null });
    const next = await steps.nextJob();
    expect(next).toMatchObject({
      attempt: job.attempt + 1,
      csrPem: job.csrPem,
      order: { url: orderUrl, isReadOnly: false },
    });
    const before = (await steps.attempts()).length;
    await steps.issue(next);
    expect(await steps.attempts()).toHaveLength(before);
    expect((await steps.attempts()).at(-1)).toMatchObject({ state: 'issued', ordered: true });
  });

  it('is not ordered again while the report of its order is not handled', async () => {
    const { db, messaging } = fixture.api;
    const job = await steps.nextDueJob();
    const before = (await steps.attempts()).length;
    const unlock = await failWritesOf(db, 'platform_certificates', 'order_url');
    const placed = { method: 'dns-01', orderUrl: 'http://ca.test/order/late', expires: null, replaces: null } as const;
    const base = { ...attemptOf(job), directoryUrl: job.directoryUrl };
    await messaging.events.emit('certificate.ordered', { ...base, ...placed });
    await steps.makeDue();
    const isClaimedTwice = async () => (await steps.schedule()).attempt > job.attempt + 1;
    await waitUntil(isClaimedTwice, { timeoutMs: 15_000, message: 'claims without a job' });
    await unlock();
    const next = await steps.nextJob();
    expect(next).toMatchObject({ csrPem: job.csrPem, order: { url: placed.orderUrl } });
    expect(await steps.attempts()).toHaveLength(before);
    await steps.issue(next);
  });

  it('stays while renewals fail, which are repeated with the backoff', async () => {
    const before = await steps.published();
    await steps.fail(await steps.nextDueJob(), { problem: problem('serverInternal', 'down') });
    expect((await steps.schedule()).dueInSeconds).toBeLessThanOrEqual(60);
    await steps.fail(await steps.nextDueJob(), { problem: problem('serverInternal', 'down') });
    const { dueInSeconds, failures, problemCode } = await steps.schedule();
    expect([failures, problemCode]).toEqual([2, 'ca_unavailable']);
    expect(dueInSeconds).toBeGreaterThan(500);
    expect(await steps.published()).toBe(before);
  });

  it('waits until the pause of the account ends, and orders of domains do as well', async () => {
    const retryAt = new Date(Date.now() + 3_600_000).toISOString();
    const limited = { ...problem('rateLimited', 'too many new orders by this account'), status: 429, retryAt };
    await steps.fail(await steps.nextDueJob(), { problem: limited });
    expect((await steps.schedule()).dueInSeconds).toBeGreaterThan(3_500);
    await steps.makeDue();
    const isPostponed = async () => (await steps.schedule()).dueInSeconds > 3_000;
    await waitUntil(isPostponed, { timeoutMs: 15_000, message: 'the order is postponed' });
    expect((await steps.schedule()).problemCode).toBe('ca_rate_limited');
    await sql`delete from ca_pauses`.execute(fixture.api.db);
  });

  it('is not replaced by the result of an outdated attempt, or of a job that comes twice', async () => {
    const lost = await steps.nextDueJob();
    const job = await steps.nextDueJob();
    expect(job.clearedHost).toBe('platform.acme.pets.localhost');
    const before = await steps.published();
    const outcomes = fixture.api.service(PlatformCertificateOutcomes);
    await outcomes.issued(await resultOf(lost));
    expect(await steps.published()).toBe(before);
    await steps.issue(job);
    const renewed = await steps.published();
    expect(renewed).not.toBe(before);
    expect((await steps.attempts()).slice(-2).map(({ state }) => state)).toEqual(['pending', 'issued']);
    await outcomes.issued(await resultOf(job));
    expect(await steps.published()).toBe(renewed);
  });

  it('counts towards the limits of the CA, of names below its registered domain and of the account', async () => {
    const usage = fixture.api.service(CaUsageRepository);
    const limits = knownCaLimits(letsEncrypt);
    const now = new Date();
    const other = { domainId: orderId, name: 'other.pets.localhost', apexName: 'pets.localhost' };
    const used = await usage.findUsage(fixture.api.db, letsEncrypt, limits, [other], now);
    const [newest] = used.find(({ kind }) => kind === 'registered_domain')?.times ?? [];
    if (newest === undefined) throw new Error('no order counts towards the names below the registered domain');
    const orders = limits.find(({ kind }) => kind === 'orders');
    if (orders === undefined) throw new Error('the CA limits orders');
    // At its own time: the slot of one order is refilled after 36 s.
    const fullAt = await usage.findFullAt(fixture.api.db, letsEncrypt, orders, newest);
    expect(fullAt.getTime()).toBeGreaterThan(newest.getTime());
  });

  it('tells the operator what it is, and is ordered ahead of time', async () => {
    const config = { ENVIRONMENT: 'development', PLATFORM_DOMAIN: 'pets.localhost', ...zone } as const;
    const show = () => runAdminCommand(['platform-certificate', 'show'], fixture.api.db, config);
    expect(await show()).toMatchObject({
      name: PLATFORM_NAME,
      record: '_acme-challenge.pets.localhost CNAME platform.acme.pets.localhost',
      certificate: { id: await steps.published() },
      problem: null,
    });
    await runAdminCommand(['platform-certificate', 'renew'], fixture.api.db, config);
    const before = await steps.published();
    const job = await steps.nextJob();
    await steps.fail(job, withoutRecord(job));
    expect(await show()).toMatchObject({ certificate: { id: before }, problem: expect.stringContaining('CNAME') });
    const work = await fixture.api.service(ReadingsRepository).readWork();
    expect(work.platformCertificateFailsSeconds).toBeGreaterThan(0);
    await steps.issue(await steps.nextDueJob());
  });

  it('loses its key and its object a day after a successor was issued', async () => {
    await sql`update platform_certificates set issued_at = issued_at - interval '3 days',
      created_at = created_at - interval '3 days'`.execute(fixture.api.db);
    await fixture.api.service(PlatformCertificateObjects).sweep();
    const current = await steps.published();
    for (const { id, hasKey } of await steps.attempts()) expect([id, hasKey]).toEqual([id, id === current]);
    for (const { id } of await steps.attempts())
      expect([id, (await readStoredCertificate(storage, id)) !== undefined]).toEqual([id, id === current]);
  });

  it('keeps no row of an attempt without a key for longer than those of domains', async () => {
    const current = await steps.published();
    expect((await steps.attempts()).length).toBeGreaterThan(1);
    await sql`update platform_certificates set not_after = now() - interval '31 days',
      created_at = now() - interval '31 days' where id <> ${current}`.execute(fixture.api.db);
    await runRetention(fixture.api.db);
    expect(await steps.attempts()).toMatchObject([{ id: current, hasKey: true }]);
  });
});

it('is not ordered where the operator says so', async () => {
  const other = await startDomainFixture(undefined, { ...settings, ISSUE_PLATFORM_CERTIFICATE: 'false' });
  try {
    await other.verified(); // the dispatcher runs
    const { rows } = await sql`select 1 from platform_certificate_orders`.execute(other.api.db);
    expect(rows).toEqual([]);
  } finally {
    await other.close();
  }
});
