import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '@pets/testing';
import { Stand, siteRoute } from './stand.js';

let stand: Stand;

beforeEach(async () => {
  stand = await Stand.build();
  await stand.startEdge();
  await stand.publishSite('site.test');
});

afterEach(() => stand.tearDown());

/** What is on disk when the edge is killed; stopping it in order would make its snapshot void. */
async function crash(): Promise<void> {
  const copy = join(stand.folder, 'copy');
  await waitUntil(() => existsSync(join(stand.edgeFolder, 'contact.json')), { message: 'the contact is on disk' });
  await cp(stand.edgeFolder, copy, { recursive: true });
  await stand.stopEdge();
  await rm(stand.edgeFolder, { recursive: true });
  await cp(copy, stand.edgeFolder, { recursive: true });
}

it('serves from its snapshot and its certificates while the API is down', async () => {
  await crash();
  await stand.api.down();
  await stand.startEdge();
  expect((await stand.visitor.secure('site.test')).body).toBe('<h1>Home</h1>');
  expect(await stand.edge.missing()).toEqual([]);
});

it('may serve its snapshot even when it was killed right after its first start', async () => {
  await stand.stopEdge();
  stand.api.acks.length = 0; // those of the edge that has left
  await stand.startEdge();
  await stand.api.acknowledged(stand.api.version);
  await crash();
  await stand.api.down();
  await stand.startEdge();
  expect((await stand.visitor.secure('site.test')).status).toBe(200);
});

it('keeps its id and catches up once the API is back', async () => {
  await crash();
  const [edgeId] = stand.api.acks.map((ack) => ack.edgeId);
  await stand.api.down();
  await stand.startEdge();
  const version = stand.api.publish({ 'site.test': null });
  stand.api.acks.length = 0;
  await stand.api.up();
  await stand.api.acknowledged(version);
  await expect(stand.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
  expect(new Set(stand.api.acks.map((ack) => ack.edgeId))).toEqual(new Set([edgeId]));
});

it('does not serve its snapshot before it has heard from an API that is up', async () => {
  await crash();
  stand.api.publish({ 'site.test': null });
  await stand.startEdge();
  await expect(stand.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
});

it('serves nothing from a snapshot whose time is over', async () => {
  await crash();
  await stand.api.down();
  stand.clockAheadMs = 86_401_000;
  const edge = await stand.prepareEdge();
  const started = edge.start();
  expect(await edge.missing()).toEqual(['listeners', 'routes']);
  await stand.api.up();
  await started;
  expect((await stand.visitor.secure('site.test')).status).toBe(200);
});

it('never serves again what was removed while it was away, even when all comes together', async () => {
  await stand.publishSite('kept.test');
  await crash();
  stand.api.publish({ 'site.test': null });
  await stand.api.down();
  stand.clockAheadMs = 86_401_000; // the API has stopped waiting for this edge, and has answered 204
  const edge = await stand.prepareEdge();
  void edge.start();
  expect(await edge.missing()).toEqual(['listeners', 'routes']);
  await stand.stopEdge(); // a second restart, still without the API
  const started = (await stand.prepareEdge()).start();
  await stand.api.up();
  await started;
  expect((await stand.visitor.secure('kept.test')).status).toBe(200);
  await expect(stand.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
});

it.each([
  ['is cut off', (text: string) => text.slice(0, -20)],
  ['is empty', () => ''],
  ['has another shape', () => '{"version":"one"}'],
  ['says something else than was written', (text: string) => text.replaceAll('site.test', 'kite.test')],
])('starts without a snapshot that %s', async (_name, damage) => {
  await crash();
  const path = join(stand.edgeFolder, 'snapshot.json');
  await writeFile(path, damage(await readFile(path, 'utf8')));
  await stand.startEdge();
  expect((await stand.visitor.secure('site.test')).status).toBe(200);
});

it.each([
  ['is cut off', (text: string) => text.slice(0, -20)],
  ['would open, and shows what no visitor takes', (text: string) => text.replace(/[A-Y](?=[A-Za-z]{20})/, 'Z')],
])('fetches a certificate again whose file %s', async (_name, damage) => {
  await crash();
  const path = join(stand.edgeFolder, 'certificates', 'certificate-of-site.test.json');
  await writeFile(path, damage(await readFile(path, 'utf8')));
  stand.api.certificateRequests.length = 0;
  await stand.startEdge();
  expect((await stand.visitor.secure('site.test')).status).toBe(200);
  expect(stand.api.certificateRequests).toEqual(['certificate-of-site.test']);
});

it('does not download again what it has', async () => {
  await crash();
  stand.api.certificateRequests.length = 0;
  await stand.startEdge();
  expect((await stand.visitor.secure('site.test')).status).toBe(200);
  expect(stand.api.certificateRequests).toEqual([]);
});

it('takes over a new database whole', async () => {
  await stand.issue('new', 'new.test');
  stand.api.startEpoch('epoch-2', { 'new.test': siteRoute('new') });
  stand.api.dropFeeds();
  await stand.api.acknowledged(1);
  expect((await stand.visitor.secure('new.test')).status).toBe(200);
  await expect(stand.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
});

it('has a void snapshot after it took leave of the API', async () => {
  await stand.stopEdge();
  expect(stand.api.deregistered).toHaveLength(1);
  await expect(readFile(join(stand.edgeFolder, 'snapshot.json'))).rejects.toThrow('ENOENT');
});

it('keeps its snapshot when it cannot take leave, because the API still waits for it', async () => {
  await stand.api.down();
  await stand.stopEdge();
  expect(stand.api.deregistered).toEqual([]);
  await stand.startEdge();
  expect((await stand.visitor.secure('site.test')).status).toBe(200);
});

it('waits for the API when it knows nothing', async () => {
  await stand.stopEdge();
  await stand.api.down();
  const edge = await stand.prepareEdge();
  const started = edge.start();
  expect(await edge.missing()).toEqual(['listeners', 'routes']);
  await stand.api.up();
  await started;
  await waitUntil(async () => (await edge.missing()).length === 0, { message: 'the edge is ready' });
});

describe('the certificates that visitors used', () => {
  const opened = () => stand.count('edge_certificates_open');

  it('are opened again in the background after a restart, and no others', async () => {
    await stand.publishSite('unused.test');
    await stand.visitor.secure('site.test');
    await stand.stopEdge();
    await stand.startEdge();
    await waitUntil(async () => (await opened()) === 1, { message: 'the certificate is warm' });
    await stand.visitor.secure('site.test');
    expect(await stand.count('edge_certificate_lookups_total{result="hit"}')).toBe(1);
    expect(await stand.count('edge_certificate_lookups_total{result="miss"}')).toBe(0);
  });

  it('are not opened, or fetched, when their host was removed meanwhile', async () => {
    await stand.publishSite('kept.test');
    for (const host of ['site.test', 'kept.test']) await stand.visitor.secure(host);
    await stand.stopEdge();
    stand.api.publish({ 'site.test': null });
    stand.api.certificateRequests.length = 0;
    await stand.startEdge();
    await waitUntil(async () => (await opened()) === 1, { message: 'the kept one is warm' });
    expect(stand.api.certificateRequests).toEqual([]);
  });

  it('may be forgotten: a damaged list is no reason not to start', async () => {
    await stand.visitor.secure('site.test');
    await stand.stopEdge();
    await writeFile(join(stand.edgeFolder, 'warm.json'), '["');
    await stand.startEdge();
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
  });
});
