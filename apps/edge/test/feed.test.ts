import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { EdgeFixture } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
});

afterEach(() => fixture.tearDown());

async function startServing(settings: Record<string, string> = {}): Promise<void> {
  await fixture.startEdge(settings);
  await fixture.publishSite('site.test');
}

describe('the feed connection', () => {
  it('is opened only after the edge has registered, with its addresses', async () => {
    fixture.api.acceptsAcks = false;
    const started = (await fixture.prepareEdge()).start();
    expect(fixture.api.connectedEdges).toBe(0);
    fixture.api.acceptsAcks = true;
    await started;
    const { http, https } = fixture.edge.ports();
    expect(fixture.api.acks.at(-1)).toMatchObject({
      httpAddress: `127.0.0.1:${http}`,
      httpsAddress: `127.0.0.1:${https}`,
    });
  });

  it.each([
    ['a line that is not JSON', 'oops\n'],
    ['a line of another shape', '{"kind":"batch"}\n'],
    [
      'a gap',
      `${JSON.stringify({ kind: 'batch', epoch: 'epoch-1', after: 90, version: 91, reset: false, entries: [], thumbprint: null })}\n`,
    ],
  ])('is opened again after %s, and no change is lost', async (_name, line) => {
    await startServing();
    const before = fixture.api.acks.length;
    fixture.api.sendRaw(line);
    await waitUntil(() => fixture.api.acks.length > before && fixture.api.connectedEdges === 1, {
      message: 'it has registered again',
    });
    await fixture.api.publishAndSettle({ 'site.test': null });
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
    expect((await fixture.visitor.plain('site.test')).status).toBe(404);
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

  it('ends within 5 s after the loss of the feed when it is set to 0', async () => {
    await startServing({ EDGE_MAX_STALENESS: '0' });
    await fixture.api.down();
    const lostAtMs = performance.now();
    await waitUntil(async () => (await fixture.edge.missing()).length > 0, { message: 'it serves nothing' });
    expect(performance.now() - lostAtMs).toBeLessThan(5_100);
  });

  it('does not end when the API refuses acknowledgements for a short time', async () => {
    await startServing({ EDGE_MAX_STALENESS: '0' });
    fixture.api.acceptsAcks = false;
    await fixture.api.down();
    await fixture.api.up();
    fixture.api.acceptsAcks = true;
    const before = fixture.api.acks.length;
    await waitUntil(() => fixture.api.acks.length > before + 1, { message: 'it has acknowledged again' });
    expect(await fixture.edge.missing()).toEqual([]);
  });
});
