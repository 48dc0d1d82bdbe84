import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { waitUntil } from '@pets/testing';
import { storedCertificatePath } from './certificates.js';
import { CONTENT_HASH, EdgeFixture, siteRoute } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.publishSite('site.test');
  await fixture.visitor.secure('site.test');
  await waitUntil(() => existsSync(certificatePath()), { message: 'the certificate is on disk' });
});

afterEach(() => fixture.tearDown());

const certificatePath = () => storedCertificatePath(fixture.edgeFolder, 'certificate-of-site.test');

async function tableFile(): Promise<string> {
  const name = (await readdir(fixture.edgeFolder)).find((file) => file.endsWith('.db'));
  if (name === undefined) throw new Error('the edge has no table file');
  return join(fixture.edgeFolder, name);
}

it('serves from its store and its certificates while the API is down', async () => {
  await fixture.crashEdge();
  await fixture.api.down();
  await fixture.startEdge();
  expect((await fixture.visitor.secure('site.test')).body).toBe('<h1>Home</h1>');
  expect(await fixture.edge.missing()).toEqual([]);
});

it('serves from its store even when it was killed right after its first start', async () => {
  await fixture.stopEdge();
  fixture.api.acks.length = 0; // those of the edge that has left
  await fixture.startEdge();
  await fixture.api.acknowledged(fixture.api.version);
  await fixture.crashEdge();
  await fixture.api.down();
  await fixture.startEdge();
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
});

it('keeps its id and catches up once the API is back', async () => {
  await fixture.crashEdge();
  const [edgeId] = fixture.api.acks.map((ack) => ack.edgeId);
  await fixture.api.down();
  await fixture.startEdge();
  const version = fixture.api.publish({ 'site.test': null });
  fixture.api.acks.length = 0;
  await fixture.api.up();
  await fixture.api.acknowledged(version);
  await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
  expect(new Set(fixture.api.acks.map((ack) => ack.edgeId))).toEqual(new Set([edgeId]));
});

it('does not serve from its store before it has synchronized with an API that is up', async () => {
  await fixture.crashEdge();
  fixture.api.publish({ 'site.test': null });
  await fixture.startEdge();
  await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
});

it('does not serve from a store whose lease has expired', async () => {
  await fixture.crashEdge();
  await fixture.api.down();
  fixture.clockAheadMs = 86_401_000;
  const edge = await fixture.prepareEdge();
  const started = edge.start();
  expect(await edge.missing()).toEqual(['listeners', 'routes']);
  await fixture.api.up();
  await started;
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
});

it('serves for five more minutes, however often it restarts, when its clock was set back by less', async () => {
  await fixture.crashEdge();
  await fixture.api.down();
  fixture.clockAheadMs = -120_000;
  await fixture.startEdge();
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  await fixture.crashEdge();
  fixture.clockAheadMs = 150_000;
  await fixture.startEdge();
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  fixture.clockAheadMs = 190_000;
  await expect(fixture.visitor.handshake('site.test')).rejects.toThrow();
});

it('serves nothing before the first contact when its clock was set back by more', async () => {
  await fixture.crashEdge();
  await fixture.api.down();
  fixture.clockAheadMs = -400_000;
  const edge = await fixture.prepareEdge();
  const started = edge.start();
  expect(await edge.missing()).toEqual(['listeners', 'routes']);
  await fixture.api.up();
  await started;
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
});

it('never serves a host that was removed while it was stopped, even when several faults coincide', async () => {
  await fixture.publishSite('kept.test');
  await fixture.crashEdge();
  fixture.api.publish({ 'site.test': null });
  await fixture.api.down();
  fixture.clockAheadMs = 86_401_000; // the API has stopped waiting for this edge, and has answered 204
  const edge = await fixture.prepareEdge();
  void edge.start();
  expect(await edge.missing()).toEqual(['listeners', 'routes']);
  await fixture.stopEdge(); // a second restart, still without the API
  const started = (await fixture.prepareEdge()).start();
  await fixture.api.up();
  await started;
  expect((await fixture.visitor.secure('kept.test')).status).toBe(200);
  await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
});

it.each([
  ['is empty', ''],
  ['has another shape', '{"version":"one"}'],
])('starts without a table file that %s', async (_name, content) => {
  await fixture.crashEdge();
  await writeFile(await tableFile(), content);
  fixture.api.snapshotsSent.length = 0;
  await fixture.startEdge();
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  expect(fixture.api.snapshotsSent).toHaveLength(1);
});

it('serves no route that is not what was stored', async () => {
  await fixture.crashEdge();
  const path = await tableFile();
  const database = new DatabaseSync(path);
  database.exec(`UPDATE routes SET route = replace(route, '${CONTENT_HASH}', 'baad')`);
  database.close();
  fixture.api.snapshotsSent.length = 0;
  await fixture.startEdge();
  await waitUntil(() => fixture.api.snapshotsSent.length === 1, { message: 'the table is replaced' });
  await waitUntil(async () => (await fixture.edge.missing()).length === 0, { message: 'it serves again' });
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
});

it.each([
  ['is cut off', (text: string) => text.slice(0, -20)],
  ['would open, and shows what no visitor takes', (text: string) => text.replace(/[A-Y](?=[A-Za-z]{20})/, 'Z')],
])('fetches a certificate again when its file %s', async (_name, damage) => {
  await fixture.crashEdge();
  await writeFile(certificatePath(), damage(await readFile(certificatePath(), 'latin1')), 'latin1');
  fixture.api.certificateRequests.length = 0;
  await fixture.startEdge();
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  expect(fixture.api.certificateRequests).toEqual(['certificate-of-site.test']);
});

it('does not download stored certificates again', async () => {
  await fixture.crashEdge();
  fixture.api.certificateRequests.length = 0;
  await fixture.startEdge();
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  expect(fixture.api.certificateRequests).toEqual([]);
});

it('replaces its routes when the API has a new database', async () => {
  await fixture.issue('new', 'new.test');
  fixture.api.startEpoch('epoch-2', { 'new.test': siteRoute('new') });
  fixture.api.dropFeeds();
  await fixture.api.acknowledged(1);
  expect((await fixture.visitor.secure('new.test')).status).toBe(200);
  await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
});

it('voids its contact when it deregisters', async () => {
  await fixture.stopEdge();
  expect(fixture.api.deregistered).toHaveLength(1);
  await fixture.api.down();
  const edge = await fixture.prepareEdge();
  void edge.start();
  expect(await edge.missing()).toEqual(['listeners', 'routes']);
});

it('keeps its contact when it cannot deregister, because the API still waits for it', async () => {
  await fixture.api.down();
  await fixture.stopEdge();
  expect(fixture.api.deregistered).toEqual([]);
  await fixture.startEdge();
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
});

it('waits for the API when it has no contact', async () => {
  await fixture.stopEdge();
  await fixture.api.down();
  const edge = await fixture.prepareEdge();
  const started = edge.start();
  expect(await edge.missing()).toEqual(['listeners', 'routes']);
  await fixture.api.up();
  await started;
  await waitUntil(async () => (await edge.missing()).length === 0, { message: 'the edge is ready' });
});

describe('recently used certificates', () => {
  const opened = () => fixture.count('edge_certificates_open');

  it('are opened again in the background after a restart, and no others', async () => {
    await fixture.publishSite('unused.test');
    await fixture.visitor.secure('site.test');
    await fixture.stopEdge();
    await fixture.startEdge();
    await waitUntil(async () => (await opened()) === 1, { message: 'the certificate is warm' });
    await fixture.visitor.secure('site.test');
    expect(await fixture.count('edge_certificate_lookups_total{result="hit"}')).toBe(1);
    expect(await fixture.count('edge_certificate_lookups_total{result="miss"}')).toBe(0);
  });

  it('are not opened, or fetched, when their host was removed meanwhile', async () => {
    await fixture.publishSite('kept.test');
    for (const host of ['site.test', 'kept.test']) await fixture.visitor.secure(host);
    await fixture.stopEdge();
    fixture.api.publish({ 'site.test': null });
    fixture.api.certificateRequests.length = 0;
    await fixture.startEdge();
    await waitUntil(async () => (await opened()) === 1, { message: 'the kept one is warm' });
    expect(fixture.api.certificateRequests).toEqual([]);
  });

  it('are not needed to start: a damaged list is ignored', async () => {
    await fixture.visitor.secure('site.test');
    await fixture.stopEdge();
    await writeFile(join(fixture.edgeFolder, 'warm.json'), '["');
    await fixture.startEdge();
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });
});
