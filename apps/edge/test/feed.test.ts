import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { EdgeFixture, pendingRoute } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
});

afterEach(() => fixture.tearDown());

async function startServing(settings: Record<string, string> = {}): Promise<void> {
  await fixture.startEdge(settings);
  await fixture.publishSite('site.test');
}

describe('the feed session', () => {
  it('brings changes only after the edge has registered, and the addresses of its ports', async () => {
    fixture.api.acceptsAcks = false;
    const started = (await fixture.prepareEdge()).start();
    await waitUntil(() => fixture.api.feedRequests.length > 1, { message: 'it has tried again' });
    expect(fixture.api.connectedEdges).toBe(0);
    fixture.api.acceptsAcks = true;
    await started;
    const { http, https } = fixture.edge.ports();
    const addresses = { httpAddress: `127.0.0.1:${http}`, httpsAddress: `127.0.0.1:${https}` };
    await waitUntil(() => fixture.api.acks.at(-1)?.httpAddress === addresses.httpAddress, {
      message: 'the ports are reported',
    });
    expect(fixture.api.acks.at(-1)).toMatchObject(addresses);
  });

  const gap = { kind: 'batch', epoch: 'epoch-1', after: 90, version: 91, reset: false, entries: [], thumbprint: null };

  it.each([
    ['a message that is not JSON', 'oops'],
    ['a message of another shape', '{"kind":"batch"}'],
    ['a message of an unknown kind', '{"kind":"surprise","version":1}'],
    ['a message that is too long', JSON.stringify({ ...gap, epoch: 'e'.repeat(4 * 1024 * 1024) })],
    ['a gap', JSON.stringify(gap)],
    ['a batch of another epoch', JSON.stringify({ ...gap, epoch: 'epoch-2', after: 1 })],
    ['a batch that replaces the table', JSON.stringify({ ...gap, after: 0, version: 1, reset: true })],
  ])('is opened again after %s, and no change is lost', async (_name, text) => {
    await startServing();
    const before = fixture.api.feedRequests.length;
    fixture.api.sendRaw(text);
    await waitUntil(() => fixture.api.feedRequests.length > before && fixture.api.connectedEdges === 1, {
      message: 'it has registered again',
    });
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
    await fixture.api.publishAndSettle({ 'site.test': null });
    await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
  });

  it('continues after the version of an acknowledgement that was lost with it', async () => {
    await startServing();
    fixture.api.acceptsAcks = false;
    const before = fixture.api.feedRequests.length;
    const version = fixture.api.publish({ 'site.test': null });
    await waitUntil(() => fixture.api.feedRequests.length > before, { message: 'the session is lost' });
    expect(fixture.api.hasAcknowledged(version)).toBe(false);
    fixture.api.acceptsAcks = true;
    await fixture.api.acknowledged(version);
    expect(fixture.api.feedRequests.at(-1)?.get('after')).toBe(String(version));
    await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
  });

  it('brings a large version in parts, and only the last one is acknowledged', async () => {
    await startServing();
    fixture.api.maxBatchEntries = 3;
    const hosts = Array.from({ length: 10 }, (_, index) => `host-${index}.test`);
    const version = fixture.api.publish(Object.fromEntries(hosts.map((host) => [host, pendingRoute])));
    await fixture.api.acknowledged(version);
    expect(await fixture.count('edge_routes')).toBe(11);
    expect(new Set(fixture.api.acks.map((ack) => ack.version))).toEqual(new Set([0, 1, version]));
  });

  it('that begins with a batch in parts has synchronized the edge only after the last one', async () => {
    await startServing();
    await fixture.api.down();
    fixture.clockAheadMs = 86_400_000;
    fixture.api.maxBatchEntries = 2;
    const hosts = Array.from({ length: 5 }, (_, index) => `host-${index}.test`);
    fixture.api.publish({ ...Object.fromEntries(hosts.map((host) => [host, pendingRoute])), 'site.test': null });
    fixture.api.withholdsLastPart = true;
    await fixture.api.up();
    await waitUntil(async () => (await fixture.count('edge_routes')) > 1, { message: 'parts are applied' });
    expect(await fixture.edge.missing()).toEqual(['routes']);
    fixture.api.withholdsLastPart = false;
    fixture.api.dropFeeds();
    await waitUntil(async () => (await fixture.edge.missing()).length === 0, { message: 'it serves again' });
    await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
  });

  it('may be lost while the edge continues to serve', async () => {
    await startServing();
    await fixture.visitor.secure('site.test'); // fetches the certificate
    await fixture.api.down();
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });
});

describe('the lease of an edge', () => {
  it('ends when the API is away for too long, and with it serving on open connections', async () => {
    await startServing();
    const agent = fixture.visitor.keepAliveAgent();
    expect((await fixture.visitor.secure('site.test', {}, agent)).status).toBe(200);
    await fixture.api.down();
    fixture.clockAheadMs = 86_400_000;
    await expect(fixture.visitor.secure('site.test', {}, agent)).resolves.toMatchObject({ status: 421 });
    await expect(fixture.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
    expect((await fixture.visitor.plain('site.test')).status).toBe(503);
    expect(await fixture.edge.missing()).toEqual(['routes']);
  });

  it('starts again when the API is back', async () => {
    await startServing();
    await fixture.api.down();
    fixture.clockAheadMs = 86_400_000;
    await fixture.api.up();
    await waitUntil(async () => (await fixture.edge.missing()).length === 0, { message: 'it serves again' });
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });

  it('ends 5 s after the loss of the feed when it is set to 0', async () => {
    await startServing({ EDGE_MAX_STALENESS: '0' });
    await fixture.api.down();
    fixture.clockAheadMs = 5_000;
    expect(await fixture.edge.missing()).toEqual(['routes']);
  });

  it('does not end when the API refuses acknowledgements for a short time', async () => {
    await startServing({ EDGE_MAX_STALENESS: '0' });
    fixture.api.acceptsAcks = false;
    const requests = fixture.api.feedRequests.length;
    await waitUntil(() => fixture.api.feedRequests.length > requests, { message: 'a session has ended' });
    fixture.api.acceptsAcks = true;
    const before = fixture.api.acks.length;
    await waitUntil(() => fixture.api.acks.length > before + 1, { message: 'it has acknowledged again' });
    expect(await fixture.edge.missing()).toEqual([]);
  });

  it('ends when the API commits no acknowledgement, however many it receives', async () => {
    await startServing({ EDGE_MAX_STALENESS: '0' });
    fixture.api.contactOf = () => undefined;
    const before = fixture.api.acks.length;
    await waitUntil(async () => (await fixture.edge.missing()).length > 0, { message: 'it serves nothing' });
    expect(fixture.api.acks.length).toBeGreaterThan(before);
    expect((await fixture.visitor.plain('site.test')).status).toBe(503);
    fixture.api.contactOf = ({ sentAtMs }) => sentAtMs;
    fixture.api.dropFeeds();
    await waitUntil(async () => (await fixture.edge.missing()).length === 0, { message: 'it serves again' });
  });

  it.each([
    ['ahead of every acknowledgement', 60_000],
    ['before every acknowledgement', -1],
  ])('does not begin with a contact that this edge never sent: %s', async (_name, offsetMs) => {
    fixture.api.contactOf = ({ sentAtMs }) => sentAtMs + offsetMs;
    const edge = await fixture.prepareEdge();
    const started = edge.start();
    await waitUntil(() => fixture.api.feedRequests.length === 2 && fixture.api.connectedEdges === 1, {
      message: 'it has loaded the snapshot and has its first batch',
    });
    expect(await edge.missing()).toEqual(['listeners', 'routes']);
    fixture.api.contactOf = ({ sentAtMs }) => sentAtMs;
    fixture.api.dropFeeds();
    await started;
    expect(await edge.missing()).toEqual([]);
  });
});
