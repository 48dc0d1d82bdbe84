import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { apiErrorOf, edgeFeedProtocols } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { ApiClient } from '../src/routing/api-client.js';
import { checkedContent, replaceCheckedFile } from '../src/routing/durable-file.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeApi } from './fake-api.js';
import { siteRoute, EdgeFixture, suspendedRoute } from './edge-fixture.js';
import { askHttp2 } from './visitor.js';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  fixture.api.protocol = edgeFeedProtocols.newest;
  await fixture.startEdge();
  await fixture.publishSite('site.test');
});

afterEach(() => fixture.tearDown());

const certificateId = 'certificate-of-site.test';
const suspend = () => fixture.api.publishAndSettle({ 'site.test': suspendedRoute(certificateId) });
const snapshotPath = () => join(fixture.edgeFolder, 'snapshot.json');
const snapshot = async () => checkedContent(await readFile(snapshotPath(), 'utf8')) ?? '';

describe('a suspended host', () => {
  it('answers 410 on both ports, over HTTP/1.1 and HTTP/2, and keeps its certificate', async () => {
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
    await suspend();
    const page = await fixture.visitor.secure('site.test');
    expect(page).toMatchObject({ status: 410, body: expect.stringContaining('suspended') });
    expect(page.headers['cache-control']).toBe('no-store');
    expect((await fixture.visitor.secure('site.test', { method: 'POST' })).status).toBe(410);
    expect((await fixture.visitor.plain('site.test')).status).toBe(410);
    expect((await askHttp2(await fixture.visitor.http2('site.test'), 'site.test')).status).toBe(410);
  });

  it('has its downloads under way ended, as after a removal', async () => {
    const socket = await fixture.visitor.handshake('site.test');
    socket.on('error', () => undefined);
    socket.write('GET /large.bin HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(5_000) });
    const closed = once(socket.resume(), 'close', { signal: AbortSignal.timeout(5_000) });
    closed.catch(() => undefined); // looked at below
    await suspend();
    await expect(closed).rejects.toThrow('ECONNRESET');
  });

  it('answers 410 also from the snapshot of an edge that crashed', async () => {
    await fixture.visitor.secure('site.test'); // fetches the certificate
    await suspend();
    const kept = await snapshot();
    await fixture.stopEdge();
    await replaceCheckedFile(snapshotPath(), kept);
    await fixture.api.down();
    await fixture.startEdge();
    expect((await fixture.visitor.secure('site.test')).status).toBe(410);
  });

  it('serves again once it is resumed', async () => {
    await suspend();
    await fixture.api.publishAndSettle({ 'site.test': siteRoute(certificateId) });
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });

  it('is removed where the API speaks the protocol of the release before', async () => {
    fixture.api.protocol = undefined;
    await suspend();
    await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
  });
});

describe('the protocol of the feed', () => {
  const lastRequest = () => Object.fromEntries(fixture.api.feedRequests.at(-1) ?? []);

  it('is sent with each request, with the protocol of the table', async () => {
    expect(lastRequest()).toMatchObject({ protocol: '2', held: '1', after: '0' });
    fixture.api.dropFeeds();
    await waitUntil(() => fixture.api.feedRequests.length > 1, { message: 'it has connected again' });
    expect(lastRequest()).toMatchObject({ protocol: '2', held: '2', after: '1' });
  });

  it('brings the suspended hosts after an API of the release before was updated', async () => {
    fixture.api.protocol = undefined;
    fixture.api.epoch = 'epoch-2';
    fixture.api.dropFeeds();
    await fixture.api.acknowledged(fixture.api.version);
    await suspend();
    fixture.api.protocol = 2;
    fixture.api.dropFeeds();
    await waitUntil(async () => (await fixture.visitor.plain('site.test')).status === 410, {
      message: 'it is suspended',
    });
  });

  it('reads the snapshot of the edge of the release before, and asks for what that could not know', async () => {
    const added = new Set(['protocol', 'suspended']);
    const members = Object.entries(JSON.parse(await snapshot()) as object).filter(([name]) => !added.has(name));
    const released = Object.fromEntries(members);
    await fixture.stopEdge();
    await replaceCheckedFile(snapshotPath(), JSON.stringify(released));
    await fixture.startEdge();
    expect(lastRequest()).toMatchObject({ protocol: '2', held: '1', after: '1' });
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });

  it('leaves nothing in the snapshot that the edge of the release before cannot read', async () => {
    await fixture.publishSite('other.test');
    await suspend();
    const { routes } = JSON.parse(await snapshot()) as { routes: [string, { serve: { kind: string } }][] };
    expect(routes.map(([host, { serve }]) => [host, serve.kind])).toEqual([['other.test', 'site']]);
  });

  it('that is too old is a reason that the edge logs', async () => {
    fixture.api.feedRefusal = apiErrorOf('gone', 'protocol: 2 is not supported any more. Update the edge.');
    const client = new ApiClient(fixture.api.url, FakeApi.token);
    const position = { epoch: '', version: 0, protocol: 1, edgeId: 'edge-test' };
    await expect(client.openFeed(position, AbortSignal.timeout(5_000))).rejects.toThrow(
      'the API answered the feed request with 410: protocol: 2 is not supported any more. Update the edge.',
    );
  });
});
