import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { createLogger, openFileStorage } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { RouteReplica } from '../src/feed/replica.js';
import type { PublishedChange, PublishedTable, ServingProcesses } from '../src/feed/serving-processes.js';
import { RouteStore } from '../src/store/route-store.js';
import { workHere } from '../src/tables/table-work.js';
import { pendingRoute, siteRoute } from './edge-fixture.js';
import { FakeApi } from './fake-api.js';

/** Serving processes that write down what they receive, and obey when the test lets them. */
class RecordingProcesses implements ServingProcesses {
  readonly tables: PublishedTable[] = [];
  readonly changes: PublishedChange[] = [];
  readonly contacts: (number | undefined)[] = [];
  /** While set, changes are applied only after it. */
  gate: Promise<void> | undefined;

  async tableReplaced(table: PublishedTable): Promise<void> {
    this.tables.push(table);
  }

  async changed(change: PublishedChange): Promise<void> {
    this.changes.push(change);
    await this.gate;
  }

  leaseChanged(contactAtMs: number | undefined): void {
    this.contacts.push(contactAtMs);
  }
}

const log = createLogger('edge', 'silent');
let folder: string;
let api: FakeApi;
let store: RouteStore;
let processes: RecordingProcesses;
let replica: RouteReplica;
let clockAheadMs = 0;

async function startReplica(): Promise<void> {
  ({ store } = await RouteStore.open(join(folder, 'edge'), log));
  processes = new RecordingProcesses();
  const addresses = () => ({ httpAddress: '127.0.0.1:80', httpsAddress: '127.0.0.1:443' });
  replica = new RouteReplica(
    { edgeId: 'edge-of-the-test', maxStalenessSeconds: 60, addresses, region: 'north' },
    {
      target: { baseUrl: api.url, token: FakeApi.token },
      store,
      processes,
      work: workHere(() => openFileStorage(storageUrl())),
      observer: { applied: () => undefined, confirmed: () => undefined, asked: () => undefined },
      now: () => Date.now() + clockAheadMs,
      log,
    },
  );
  await replica.restore();
  await replica.start();
}

async function stopReplica(): Promise<void> {
  await replica.stop();
  store.close();
}

const storageUrl = () => pathToFileURL(join(folder, 'files')).href;

beforeEach(async () => {
  clockAheadMs = 0;
  folder = await mkdtemp(join(tmpdir(), 'replica-'));
  api = new FakeApi(() => openFileStorage(storageUrl()));
  await api.up();
  await startReplica();
  processes.changes.length = 0; // of the first batch, which names the platform certificate
});

afterEach(async () => {
  await stopReplica();
  await api.down();
  await rm(folder, { recursive: true, force: true });
});

it('ends the lease of the processes too, whose clocks may show another time', async () => {
  await waitUntil(() => processes.contacts.length > 0, { message: 'it is synced' });
  clockAheadMs = 61_000;
  await waitUntil(() => processes.contacts.includes(undefined), { message: 'the lease has ended' });
  await waitUntil(() => processes.contacts.at(-1) !== undefined, { message: 'it is synced again' });
});

describe('a change', () => {
  it('is published to the processes with its effects, and the thumbprint', async () => {
    await api.publishAndSettle({ 'site.test': siteRoute('one'), 'issuing.test': pendingRoute });
    await api.publishAndSettle({ 'site.test': siteRoute('two'), 'issuing.test': null });
    expect(processes.changes.at(-1)).toMatchObject({
      hosts: ['site.test', 'issuing.test'],
      stoppedHosts: ['issuing.test'],
      renewals: [{ from: 'one', to: 'two' }],
      droppedCertificates: ['one'],
      thumbprint: 'THUMBPRINT',
    });
  });

  it('is committed before the processes hear of it, and acknowledged only after all have applied it', async () => {
    const gate = Promise.withResolvers<void>();
    processes.gate = gate.promise;
    const version = api.publish({ 'site.test': siteRoute('one') });
    await waitUntil(() => processes.changes.length > 0, { message: 'the processes are notified' });
    expect(store.position.version).toBe(version);
    const acks = api.acks.length;
    replica.announce(); // another acknowledgement meanwhile reports the earlier version
    await waitUntil(() => api.acks.length > acks, { message: 'it has acknowledged' });
    expect(api.hasAcknowledged(version)).toBe(false);
    gate.resolve();
    await api.acknowledged(version);
  });

  it('that a lost session interrupts is acknowledged by the registration of the next one, and only then', async () => {
    const gate = Promise.withResolvers<void>();
    processes.gate = gate.promise;
    const version = api.publish({ 'site.test': siteRoute('one') });
    await waitUntil(() => processes.changes.length > 0, { message: 'the processes are notified' });
    const requests = api.feedRequests.length;
    api.dropFeeds();
    expect(api.hasAcknowledged(version)).toBe(false);
    gate.resolve();
    await api.acknowledged(version);
    expect(api.feedRequests.length).toBe(requests + 1);
    expect(api.feedRequests.at(-1)?.get('after')).toBe(String(version));
    expect(processes.changes).toHaveLength(1);
  });

  it('that cannot be written is tried again in the same session, and not acknowledged meanwhile', async () => {
    const other = new DatabaseSync(store.file);
    other.exec('BEGIN IMMEDIATE'); // holds the lock for writing
    const [requests, contacts] = [api.feedRequests.length, processes.contacts.length];
    const version = api.publish({ 'site.test': siteRoute('one') });
    await waitUntil(() => processes.contacts.length > contacts, {
      message: 'the lease is renewed, after the first attempt has failed',
      timeoutMs: 30_000,
    });
    expect(processes.changes).toEqual([]);
    expect(api.hasAcknowledged(version)).toBe(false);
    other.exec('ROLLBACK');
    other.close();
    await api.acknowledged(version);
    expect(api.feedRequests.length).toBe(requests);
  }, 60_000);
});

describe('the lease', () => {
  const renewed = async () => {
    const before = processes.contacts.length;
    replica.announce();
    await waitUntil(() => processes.contacts.length > before, { message: 'the lease is renewed' });
  };

  it('begins after the registration and everything published before, and only with contacts of this edge', async () => {
    await renewed();
    const sent = api.acks.map(({ sentAtMs }) => sentAtMs);
    expect(processes.contacts.filter((contactAtMs) => !sent.includes(contactAtMs ?? 0))).toEqual([]);
    expect(api.acks[0]).toMatchObject({ kind: 'ack', edgeId: 'edge-of-the-test', region: 'north', epoch: '' });
  });

  it('is not renewed while a session has not brought everything', async () => {
    api.withholdsLastPart = true;
    api.dropFeeds();
    const requests = api.feedRequests.length;
    await waitUntil(() => api.feedRequests.length > requests, { message: 'it has registered again' });
    const before = processes.contacts.length;
    const acks = api.acks.length;
    replica.announce();
    await waitUntil(() => api.acks.length > acks, { message: 'it has acknowledged' });
    expect(processes.contacts.length).toBe(before);
    api.withholdsLastPart = false;
    api.dropFeeds();
    await waitUntil(() => processes.contacts.length > before, { message: 'the lease is renewed' });
  });

  it('is restored from the store, for no longer than a contact that the API has committed', async () => {
    await api.publishAndSettle({ 'site.test': siteRoute('one') });
    const newest = Math.max(...api.acks.map(({ sentAtMs }) => sentAtMs));
    await stopReplica();
    await api.down();
    await startReplica();
    expect(processes.tables).toEqual([{ file: store.file, thumbprint: 'THUMBPRINT', platformCertificate: null }]);
    expect(processes.contacts).toEqual([store.contactAtMs]);
    expect(store.contactAtMs).toBeLessThanOrEqual(newest);
  });
});

it('ends the lease at damage of the table, and replaces the table before it serves again', async () => {
  await api.publishAndSettle({ 'site.test': siteRoute('one') });
  const damaged = store.file;
  processes.contacts.length = 0;
  replica.tableDamaged('checksum mismatch');
  expect(processes.contacts).toEqual([undefined]);
  expect(replica.mayServe).toBe(false);
  await waitUntil(() => replica.mayServe, { message: 'it serves again' });
  expect(store.position).toMatchObject({ epoch: api.epoch, version: api.version });
  expect(store.hosts).toBe(1);
  expect(processes.tables.at(-1)).toEqual({ file: store.file, thumbprint: 'THUMBPRINT' });
  expect(existsSync(damaged)).toBe(false);
});

it('finds damage of the stored table when it verifies it', async () => {
  await api.publishAndSettle({ 'site.test': siteRoute('one'), 'other.test': siteRoute('two') });
  await stopReplica();
  const database = new DatabaseSync(store.file);
  database.exec(`UPDATE routes SET route = replace(route, 'two', 'one')`);
  database.close();
  const loads = api.snapshotsSent.length;
  await startReplica();
  replica.verify();
  await waitUntil(() => api.snapshotsSent.length > loads && replica.mayServe, { message: 'it has loaded a snapshot' });
});
