import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, loadConfig, openFileStorage, Registry, writeStoredCertificate } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { DiskCache } from '../src/disk-cache/disk-cache.js';
import { EdgeMetrics } from '../src/metrics/edge-metrics.js';
import { edgeConfigSchema } from '../src/platform/config.js';
import { Certificates } from '../src/tls/certificates.js';
import { storedCertificatePath } from './certificates.js';
import { EdgeFixture, siteRoute } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
});
afterEach(() => fixture.tearDown());

const storage = () => openFileStorage(fixture.env['STORAGE_URL'] ?? '');

/** Moves a certificate from the API to the storage. */
async function moveToStorage(id: string): Promise<void> {
  const certificate = fixture.api.certificates.get(id);
  if (certificate === undefined) throw new Error(`there is no certificate ${id}`);
  await writeStoredCertificate(await storage(), certificate, AbortSignal.timeout(30_000));
  fixture.api.certificates.delete(id);
}

async function publishStored(host: string, id: string = randomUUID()): Promise<string> {
  await fixture.issue(id, host);
  await moveToStorage(id);
  await fixture.api.publishAndSettle({ [host]: siteRoute(id) });
  return id;
}

const statusOf = async (host: string) => (await fixture.visitor.secure(host)).status;
const isOnDisk = (id: string) => existsSync(storedCertificatePath(fixture.edgeFolder, id));

describe('a certificate', () => {
  it('is fetched once for many first visitors, and not before', async () => {
    await fixture.startEdge();
    await fixture.publishSite('site.test', 'site');
    expect(fixture.api.certificateRequests).toEqual([]);
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf('site.test')));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(fixture.api.certificateRequests).toEqual(['site']);
  });

  it('comes from the storage, also while the API is away', async () => {
    await fixture.startEdge();
    await publishStored('site.test');
    await fixture.api.down();
    expect(await statusOf('site.test')).toBe(200);
    expect(await fixture.count('edge_certificate_fetches_total{origin="storage",result="fetched"}')).toBe(1);
  });

  it('comes from the API when the storage does not have it', async () => {
    await fixture.startEdge();
    const id = randomUUID();
    await fixture.publishSite('site.test', id);
    expect(await statusOf('site.test')).toBe(200);
    expect(fixture.api.certificateRequests).toEqual([id]);
    expect(await fixture.count('edge_certificate_fetches_total{origin="storage",result="absent"}')).toBe(1);
  });

  it('is served from the disk without the API and the storage, and others are refused', async () => {
    await fixture.startEdge({ EDGE_CONTEXT_CACHE_BYTES: String(1024 ** 2) });
    const id = await publishStored('site.test');
    await publishStored('other.test');
    expect(await statusOf('site.test')).toBe(200);
    await waitUntil(() => isOnDisk(id), { message: 'the certificate is on disk' });
    await fixture.api.down();
    await rm(join(fixture.folder, 'files', 'certificates'), { recursive: true });
    expect(await statusOf('site.test')).toBe(200);
    await expect(fixture.visitor.handshake('other.test')).rejects.toThrow('unrecognized name');
  });

  it('that can be had from nowhere costs one attempt in two seconds, however many ask', async () => {
    await fixture.startEdge();
    await fixture.api.publishAndSettle({ 'site.test': siteRoute('missing') });
    for (let visit = 0; visit < 10; visit++)
      await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
    expect(fixture.api.certificateRequests).toEqual(['missing']);
    await fixture.issue('missing', 'site.test');
    fixture.clockAheadMs += 2_001;
    expect(await statusOf('site.test')).toBe(200);
  });

  it('is closed when others need its memory, and opened again', async () => {
    await fixture.startEdge({ EDGE_CONTEXT_CACHE_BYTES: String(1024 ** 2) });
    const hosts = Array.from({ length: 60 }, (_, index) => `site-${index}.test`);
    for (const host of hosts) await fixture.publishSite(host);
    const agent = fixture.visitor.keepAliveAgent();
    await fixture.visitor.secure('site-0.test', {}, agent);
    for (const host of hosts) expect(await statusOf(host)).toBe(200);
    expect(await fixture.count('edge_certificates_open')).toBeLessThan(60);
    expect(await fixture.count('edge_certificate_memory_bytes')).toBeLessThanOrEqual(1024 ** 2);
    expect((await fixture.visitor.secure('site-0.test', {}, agent)).status).toBe(200);
    expect(await statusOf('site-0.test')).toBe(200);
  });
});

describe('a renewal', () => {
  let certificates: Certificates;
  let disk: DiskCache;

  beforeEach(async () => {
    const log = createLogger('edge', 'silent');
    const config = loadConfig(edgeConfigSchema, fixture.env);
    const folder = join(fixture.edgeFolder, 'cache', 'certificates');
    disk = await DiskCache.open({ folder, maxBytes: 1e9, isEvictor: true, log });
    certificates = new Certificates(config, {
      api: { fetchCertificate: () => Promise.reject(new Error('unexpected request to the API')) },
      storage: await storage(),
      disk,
      find: () => undefined,
      metrics: new EdgeMetrics(new Registry()),
      servingProcesses: 1,
      now: Date.now,
      log,
    });
  });
  afterEach(() => disk.close());

  async function store(count: number): Promise<readonly string[]> {
    const ids = Array.from({ length: count }, () => randomUUID());
    for (const id of ids) {
      await fixture.issue(id, 'site.test');
      await moveToStorage(id);
    }
    return ids;
  }

  it('is opened in the background where the certificate of before is open, which is then forgotten', async () => {
    const [from = '', to = ''] = await store(2);
    await certificates.contexts.load(from, { host: 'site.test', requester: 'visitor' });
    await waitUntil(() => isOnDisk(from), { message: 'it is on disk' });
    certificates.changed({ renewals: [{ from, to }], droppedCertificates: [from] });
    expect(certificates.contexts.open(from, 'site.test')).toBeUndefined();
    await waitUntil(() => certificates.contexts.open(to, 'site.test') !== undefined, { message: 'it is open' });
    await waitUntil(() => isOnDisk(to) && !isOnDisk(from), { message: 'the disk has the new one only' });
  });

  it('is fetched where the certificate of before is on disk, and nowhere else', async () => {
    const [onDisk = '', renewed = '', unused = '', notFetched = ''] = await store(4);
    await disk.write(onDisk, Buffer.from('{}'));
    const renewals = [
      { from: unused, to: notFetched },
      { from: onDisk, to: renewed },
    ];
    certificates.changed({ renewals, droppedCertificates: [onDisk, unused] });
    await waitUntil(() => isOnDisk(renewed) && !isOnDisk(onDisk), { message: 'the disk has the new one only' });
    expect(isOnDisk(notFetched)).toBe(false);
    expect(certificates.contexts.size).toBe(0);
  });
});
