import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { waitUntil } from '@pets/testing';
import { storedCertificatePath } from './certificates.js';
import { EdgeFixture, platformRoute } from './edge-fixture.js';

jest.setTimeout(120_000);

const HOST = 'acme.pets.test';
const EXPIRY = 'edge_platform_certificate_expiry_timestamp_seconds';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
});
afterEach(() => fixture.tearDown());

function withoutFiles(): void {
  delete fixture.env['PLATFORM_CERTIFICATE'];
  delete fixture.env['PLATFORM_KEY'];
}

/** The serial number of what a new connection is presented. */
async function presented(): Promise<string> {
  const socket = await fixture.visitor.handshake(HOST);
  try {
    return socket.getPeerCertificate().serialNumber;
  } finally {
    socket.destroy();
  }
}

/** Publishes an issued certificate, as the API does after an order. */
async function publish(id: string): Promise<void> {
  await fixture.issue(id, '*.pets.test');
  fixture.api.platformCertificate = id;
  await fixture.api.publishAndSettle({});
}

const isOpen = async () => (await fixture.count(EXPIRY)) > 0;

describe('an edge without files', () => {
  beforeEach(async () => {
    withoutFiles();
    await fixture.startEdge();
    await fixture.api.publishAndSettle({ [HOST]: platformRoute });
  });

  it('is ready, refuses platform names until the feed names a certificate, and then serves them', async () => {
    expect(await fixture.edge.missing()).toEqual([]);
    await expect(fixture.visitor.handshake(HOST)).rejects.toThrow('unrecognized name');
    expect(await fixture.count(EXPIRY)).toBe(0);
    await publish('p1');
    expect((await fixture.visitor.secure(HOST)).status).toBe(200);
    await waitUntil(isOpen, { message: 'the expiry is reported' });
    await expect(fixture.visitor.handshake('a.b.pets.test')).rejects.toThrow('unrecognized name');
  });

  it('presents a renewed certificate to new connections, and keeps the open ones', async () => {
    await publish('p1');
    const before = await presented();
    const agent = fixture.visitor.keepAliveAgent();
    expect((await fixture.visitor.secure(HOST, {}, agent)).status).toBe(200);
    await publish('p2');
    await waitUntil(async () => (await presented()) !== before, { message: 'the renewed certificate is presented' });
    expect((await fixture.visitor.secure(HOST, {}, agent)).status).toBe(200);
    const path = storedCertificatePath(fixture.edgeFolder, 'p1');
    await waitUntil(() => !existsSync(path), { message: 'the certificate of before is forgotten' });
  });

  it('keeps the certificate while its successor cannot be fetched', async () => {
    await publish('p1');
    await waitUntil(isOpen, { message: 'the certificate is open' });
    const before = await presented();
    fixture.api.platformCertificate = 'p2'; // neither in the storage nor at the API yet
    await fixture.api.publishAndSettle({});
    expect(await presented()).toBe(before);
    await fixture.issue('p2', '*.pets.test');
    await waitUntil(async () => (await presented()) !== before, { message: 'the renewed certificate is presented' });
  });

  it('keeps it through a restart without the API, and through a snapshot', async () => {
    await publish('p1');
    const path = storedCertificatePath(fixture.edgeFolder, 'p1');
    await waitUntil(() => existsSync(path), { message: 'the certificate is on disk' });
    await fixture.crashEdge();
    await fixture.api.down();
    await fixture.startEdge();
    expect((await fixture.visitor.secure(HOST)).status).toBe(200);
    fixture.api.version += 1;
    fixture.api.compact();
    fixture.api.snapshotsSent.length = 0;
    await fixture.api.up();
    await fixture.api.acknowledged(fixture.api.version);
    expect(fixture.api.snapshotsSent).toHaveLength(1);
    expect((await fixture.visitor.secure(HOST)).status).toBe(200);
  });
});

it('ignores the issued certificate where it has files', async () => {
  await fixture.startEdge();
  await fixture.api.publishAndSettle({ [HOST]: platformRoute });
  const before = await presented();
  await publish('p1');
  expect(await presented()).toBe(before);
  expect(fixture.api.certificateRequests).toEqual([]);
  expect(await isOpen()).toBe(true);
});

it('serves platform names from several processes, also from one that starts later', async () => {
  withoutFiles();
  const processes = await fixture.startProcesses({ EDGE_PROCESSES: '2' });
  await fixture.api.publishAndSettle({ [HOST]: platformRoute });
  await publish('p1');
  expect((await fixture.visitor.secure(HOST)).status).toBe(200);
  const before = processes.servingPids();
  for (const pid of before) process.kill(pid, 'SIGKILL');
  const hasRestarted = () => processes.servingPids().filter((pid) => !before.includes(pid)).length === 2;
  await waitUntil(hasRestarted, { message: 'other processes serve', timeoutMs: 40_000 });
  await waitUntil(async () => (await processes.count('edge_processes')) === 2, {
    message: 'they accept connections',
    timeoutMs: 40_000,
  });
  expect((await fixture.visitor.secure(HOST)).status).toBe(200);
});
