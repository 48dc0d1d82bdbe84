import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { observedMetrics, waitUntil } from '@pets/testing';
import { startHealthServer } from '@pets/platform';
import { askHttp2 } from './visitor.js';
import { pendingRoute, EdgeFixture } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.publishSite('site.test');
  await fixture.api.publishAndSettle({ 'issuing.test': pendingRoute });
});
beforeEach(() => void fixture.accessLines.splice(0));
afterAll(() => fixture.tearDown());

/** How much a series has grown while something was done. */
async function growth(series: string, act: () => Promise<unknown>): Promise<number> {
  const before = await fixture.count(series);
  await act();
  await waitUntil(async () => (await fixture.count(series)) > before, { message: `${series} grows` });
  return (await fixture.count(series)) - before;
}

const failing = (handshake: Promise<unknown>) => expect(handshake).rejects.toThrow();

describe('the metrics of the edge', () => {
  it.each([
    ['completed', () => fixture.visitor.secure('site.test')],
    ['unknown_name', () => failing(fixture.visitor.handshake('unknown.test'))],
    ['no_certificate', () => failing(fixture.visitor.handshake('issuing.test'))],
    ['failed', () => failing(fixture.visitor.handshake(undefined))],
  ])('count handshakes: %s', async (result, act) => {
    expect(await growth(`edge_handshakes_total{result="${result}"}`, act)).toBe(1);
  });

  it.each([
    ['2xx', 'http/1.1', () => fixture.visitor.secure('site.test')],
    ['4xx', 'http/1.1', () => fixture.visitor.plain('unknown.test')],
    ['3xx', 'http/1.1', () => fixture.visitor.plain('site.test')],
    ['2xx', 'http/2', async () => askHttp2(await fixture.visitor.http2('site.test'), 'site.test')],
  ])('count requests: %s by %s', async (status, protocol, act) => {
    expect(await growth(`edge_requests_total{status="${status}",protocol="${protocol}"}`, act)).toBe(1);
  });

  it('measure the duration of requests', async () => {
    expect(await growth('edge_request_duration_seconds_count', () => fixture.visitor.secure('site.test'))).toBe(1);
  });

  it('describe the current state', async () => {
    await fixture.visitor.secure('site.test');
    const series = ['edge_routes', 'edge_feed_version', 'edge_serving', 'edge_certificates_open'];
    expect(await Promise.all(series.map((name) => fixture.count(name)))).toEqual([2, fixture.api.version, 1, 1]);
    expect(await fixture.count('edge_certificate_memory_bytes')).toBeGreaterThan(28 * 1024);
    expect(await fixture.count('edge_certificate_fetches_total{origin="api",result="fetched"}')).toBe(1);
    expect(await fixture.count('edge_feed_lag_seconds')).toBeLessThan(60);
  });

  it('have no label that a visitor chooses', async () => {
    await failing(fixture.visitor.handshake('chosen.test'));
    await fixture.visitor.plain('chosen.test', { path: '/chosen', headers: { 'user-agent': 'chosen' } });
    expect(await fixture.edge.metrics.metrics()).not.toContain('chosen');
  });
});

describe('/metrics', () => {
  let server: Server;

  beforeAll(async () => {
    server = await startHealthServer('127.0.0.1', 0, () => fixture.edge.missing(), fixture.edge.metrics);
  });
  afterAll(() => void server.close());

  it('has the format of Prometheus', async () => {
    const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await reply.text()).toMatch(/^# TYPE edge_handshakes_total counter$/m);
  });

  it('contains every series of the dashboard and the alerts', async () => {
    const asked = observedMetrics('edge_');
    expect(asked.length).toBeGreaterThanOrEqual(10);
    const names = (await fixture.edge.metrics.getMetricsAsJSON()).map(({ name }) => name);
    expect(asked.filter((name) => !names.includes(name.replace(/_(?:bucket|count|sum)$/, '')))).toEqual([]);
  });
});

describe('the access log', () => {
  const lines = async (count: number) => {
    await waitUntil(() => fixture.accessLines.length >= count, { message: `${count} lines are written` });
    return fixture.accessLines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('has a line for each request', async () => {
    await fixture.visitor.secure('site.test', { path: '/about?token=secret', headers: { 'user-agent': 'Visitor/1' } });
    expect(await lines(1)).toEqual([
      {
        level: 30,
        time: expect.any(String),
        app: 'edge',
        requestId: expect.stringMatching(/^[\w-]{8}-\w+$/),
        host: 'site.test',
        method: 'GET',
        path: '/about',
        status: 200,
        bytes: 5,
        durationMs: expect.any(Number),
        protocol: 'http/1.1',
        client: '127.0.0.1',
        tls: 'TLSv1.3',
        userAgent: 'Visitor/1',
        msg: 'request',
      },
    ]);
  });

  it('has lines for HTTP/2 and the plain port', async () => {
    const session = await fixture.visitor.http2('site.test');
    await askHttp2(session, 'site.test', { path: '/docs/' });
    await fixture.visitor.plain('site.test', { method: 'HEAD' });
    expect(await lines(2)).toMatchObject([
      { host: 'site.test', path: '/docs/', status: 200, protocol: 'http/2', tls: 'TLSv1.3', client: '127.0.0.1' },
      { host: 'site.test', method: 'HEAD', status: 308, bytes: 0, protocol: 'http/1.1', tls: null },
    ]);
  });

  it('has the reference that a page of the edge shows', async () => {
    const { headers } = await fixture.visitor.plain('nobody.test');
    expect(await lines(1)).toMatchObject([{ host: 'nobody.test', status: 404, requestId: headers['x-request-id'] }]);
  });

  it('contains no challenge tokens and no queries', async () => {
    const token = 'Zm9vYmFyLV9mb29iYXItXw';
    await fixture.visitor.plain('issuing.test', { path: `/.well-known/acme-challenge/${token}?mail=a@b.test` });
    const [line] = await lines(1);
    expect(line).toMatchObject({ status: 404, path: '/.well-known/acme-challenge/[token]' });
    expect(JSON.stringify(line)).not.toMatch(/Zm9v|a@b/);
  });

  it('marks responses that were broken off', async () => {
    const socket = await fixture.visitor.handshake('site.test');
    socket.write('GET /large.bin HTTP/1.1\r\nHost: site.test\r\n\r\n');
    socket.once('readable', () => socket.destroy());
    expect(await lines(1)).toMatchObject([{ path: '/large.bin', brokenOff: true }]);
  });

  it('can be switched off', async () => {
    const quiet = await EdgeFixture.build();
    try {
      await quiet.startEdge({ EDGE_ACCESS_LOG: 'false' });
      await quiet.publishSite('site.test');
      await quiet.visitor.secure('site.test');
      await waitUntil(async () => (await quiet.count('edge_request_duration_seconds_count')) === 1, {
        message: 'the request is counted',
      });
      expect(quiet.accessLines).toEqual([]);
    } finally {
      await quiet.tearDown();
    }
  });
});
