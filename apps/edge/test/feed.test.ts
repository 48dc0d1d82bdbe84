import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { Stand } from './stand.js';

let stand: Stand;

beforeEach(async () => {
  stand = await Stand.build();
});

afterEach(() => stand.tearDown());

async function startServing(settings: Record<string, string> = {}): Promise<void> {
  await stand.startEdge(settings);
  await stand.publishSite('site.test');
}

describe('the feed', () => {
  it('is read only by an edge that has registered, with the address it is reached at', async () => {
    stand.api.acceptsAcks = false;
    const started = (await stand.prepareEdge()).start();
    expect(stand.api.connectedEdges).toBe(0);
    stand.api.acceptsAcks = true;
    await started;
    const { http, https } = stand.edge.ports();
    expect(stand.api.acks.at(-1)).toMatchObject({
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
  ])('is connected anew after %s, and nothing is lost', async (_name, line) => {
    await startServing();
    const before = stand.api.acks.length;
    stand.api.sendRaw(line);
    await waitUntil(() => stand.api.acks.length > before && stand.api.connectedEdges === 1, {
      message: 'it has registered again',
    });
    await stand.api.publishAndSettle({ 'site.test': null });
    await expect(stand.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
  });

  it('is served on from while it is lost', async () => {
    await startServing();
    await stand.api.down();
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
  });
});

describe('staleness', () => {
  it('ends serving, also on open connections, when the API has been away for too long', async () => {
    await startServing();
    const agent = stand.visitor.keepAliveAgent();
    expect((await stand.visitor.secure('site.test', {}, agent)).status).toBe(200);
    await stand.api.down();
    stand.clockAheadMs = 86_400_000;
    await expect(stand.visitor.secure('site.test', {}, agent)).resolves.toMatchObject({ status: 421 });
    await expect(stand.visitor.handshake('site.test')).rejects.toThrow('unrecognized name');
    expect((await stand.visitor.plain('site.test')).status).toBe(404);
    expect(await stand.edge.missing()).toEqual(['routes']);
  });

  it('is over once the API is back', async () => {
    await startServing();
    await stand.api.down();
    stand.clockAheadMs = 86_400_000;
    await stand.api.up();
    await waitUntil(async () => (await stand.edge.missing()).length === 0, { message: 'it serves again' });
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
  });

  it('of 0 stops within 5 s of losing the feed', async () => {
    await startServing({ EDGE_MAX_STALENESS: '0' });
    await stand.api.down();
    const lostAtMs = performance.now();
    await waitUntil(async () => (await stand.edge.missing()).length > 0, { message: 'it serves nothing' });
    expect(performance.now() - lostAtMs).toBeLessThan(5_100);
  }, 15_000);

  it('does not set in while acknowledgements are refused only for a moment', async () => {
    await startServing({ EDGE_MAX_STALENESS: '0' });
    stand.api.acceptsAcks = false;
    await stand.api.down();
    await stand.api.up();
    stand.api.acceptsAcks = true;
    const before = stand.api.acks.length;
    await waitUntil(() => stand.api.acks.length > before + 1, { message: 'it has acknowledged again' });
    expect(await stand.edge.missing()).toEqual([]);
  }, 15_000);
});
