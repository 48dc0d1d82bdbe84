import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { apiErrorOf, edgeFeedProtocols } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { ApiClient } from '../src/routing/api-client.js';
import { checkedContent, replaceCheckedFile } from '../src/routing/durable-file.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeApi } from './fake-api.js';
import { siteRoute, Stand, suspendedRoute } from './stand.js';
import { askHttp2 } from './visitor.js';

let stand: Stand;

beforeEach(async () => {
  stand = await Stand.build();
  stand.api.protocol = edgeFeedProtocols.newest;
  await stand.startEdge();
  await stand.publishSite('site.test');
});

afterEach(() => stand.tearDown());

const certificateId = 'certificate-of-site.test';
const suspend = () => stand.api.publishAndSettle({ 'site.test': suspendedRoute(certificateId) });
const snapshotPath = () => join(stand.edgeFolder, 'snapshot.json');
const snapshot = async () => checkedContent(await readFile(snapshotPath(), 'utf8')) ?? '';

describe('a suspended host', () => {
  it('answers 410 on both ports, over HTTP/1.1 and HTTP/2, and keeps its certificate', async () => {
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
    await suspend();
    const page = await stand.visitor.secure('site.test');
    expect(page).toMatchObject({ status: 410, body: expect.stringContaining('suspended') });
    expect(page.headers['cache-control']).toBe('no-store');
    expect((await stand.visitor.secure('site.test', { method: 'POST' })).status).toBe(410);
    expect((await stand.visitor.plain('site.test')).status).toBe(410);
    expect((await askHttp2(await stand.visitor.http2('site.test'), 'site.test')).status).toBe(410);
  });

  it('has its downloads under way ended, as after a removal', async () => {
    const socket = await stand.visitor.handshake('site.test');
    socket.on('error', () => undefined);
    socket.write('GET /large.bin HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(5_000) });
    const closed = once(socket.resume(), 'close', { signal: AbortSignal.timeout(5_000) });
    closed.catch(() => undefined); // looked at below
    await suspend();
    await expect(closed).rejects.toThrow('ECONNRESET');
  });

  it('answers 410 also from the snapshot of an edge that crashed', async () => {
    await suspend();
    const kept = await snapshot();
    await stand.stopEdge();
    await replaceCheckedFile(snapshotPath(), kept);
    await stand.api.down();
    await stand.startEdge();
    expect((await stand.visitor.secure('site.test')).status).toBe(410);
  });

  it('serves again once it is resumed', async () => {
    await suspend();
    await stand.api.publishAndSettle({ 'site.test': siteRoute(certificateId) });
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
  });

  it('is removed where the API speaks the protocol of the release before', async () => {
    stand.api.protocol = undefined;
    await suspend();
    await expect(stand.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
  });
});

describe('the protocol of the feed', () => {
  const lastRequest = () => Object.fromEntries(stand.api.feedRequests.at(-1) ?? []);

  it('is sent with each request, with the protocol of the table', async () => {
    expect(lastRequest()).toMatchObject({ protocol: '2', held: '1', after: '0' });
    stand.api.dropFeeds();
    await waitUntil(() => stand.api.feedRequests.length > 1, { message: 'it has connected again' });
    expect(lastRequest()).toMatchObject({ protocol: '2', held: '2', after: '1' });
  });

  it('brings the suspended hosts after an API of the release before was updated', async () => {
    stand.api.protocol = undefined;
    stand.api.epoch = 'epoch-2';
    stand.api.dropFeeds();
    await stand.api.acknowledged(stand.api.version);
    await suspend();
    stand.api.protocol = 2;
    stand.api.dropFeeds();
    await waitUntil(async () => (await stand.visitor.plain('site.test')).status === 410, {
      message: 'it is suspended',
    });
  });

  it('reads the snapshot of the edge of the release before, and asks for what that could not know', async () => {
    const added = new Set(['protocol', 'suspended']);
    const members = Object.entries(JSON.parse(await snapshot()) as object).filter(([name]) => !added.has(name));
    const released = Object.fromEntries(members);
    await stand.stopEdge();
    await replaceCheckedFile(snapshotPath(), JSON.stringify(released));
    await stand.startEdge();
    expect(lastRequest()).toMatchObject({ protocol: '2', held: '1', after: '1' });
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
  });

  it('leaves nothing in the snapshot that the edge of the release before cannot read', async () => {
    await stand.publishSite('other.test');
    await suspend();
    const { routes } = JSON.parse(await snapshot()) as { routes: [string, { serve: { kind: string } }][] };
    expect(routes.map(([host, { serve }]) => [host, serve.kind])).toEqual([['other.test', 'site']]);
  });

  it('that is too old is a reason that the edge logs', async () => {
    stand.api.feedRefusal = apiErrorOf('gone', 'protocol: 2 is not supported any more. Update the edge.');
    const client = new ApiClient(stand.api.url, FakeApi.token);
    const position = { epoch: '', version: 0, protocol: 1, edgeId: 'edge-test' };
    await expect(client.openFeed(position, AbortSignal.timeout(5_000))).rejects.toThrow(
      'the feed was answered 410: protocol: 2 is not supported any more. Update the edge.',
    );
  });
});
