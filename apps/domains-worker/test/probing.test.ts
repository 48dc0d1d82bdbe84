import { randomUUID } from 'node:crypto';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { DomainJobs } from '@pets/contracts';
import { ProbingService } from '../src/probing/probing.service.js';
import { makeCertificate } from './certificates.js';
import { recordEvents } from './recorded-events.js';

const name = 'docs.acme.example';
const opened: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  sockets.forEach((socket) => socket.destroy());
  sockets.clear();
  await Promise.all(opened.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function listen(server: Server): Promise<string> {
  opened.push(server.on('connection', (socket) => sockets.add(socket)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Shows its certificate for one name only, as edges do. */
async function startEdge(
  servedName: string,
  { certPem, keyPem }: { certPem: string; keyPem: string },
): Promise<string> {
  const edge = createServer({
    cert: certPem,
    key: keyPem,
    SNICallback: (asked, done) => (asked === servedName ? done(null) : done(new Error('unknown name'))),
  });
  return listen(edge.on('tlsClientError', () => undefined));
}

type ProbeJob = DomainJobs['probe-edge'];

async function probe(edges: ProbeJob['edges'], leafSha256: string, more: Partial<ProbeJob> = {}) {
  const { sender, events } = recordEvents();
  const job = {
    domainId: randomUUID(),
    generation: 2,
    attempt: 1,
    leaseUntil: new Date().toISOString(),
    name,
    ...{ edges, spares: [], rechecks: [], suspects: [] },
    leafSha256,
    ...more,
  };
  await new ProbingService(sender).probe(job, AbortSignal.timeout(5_000));
  return events;
}

describe('probing edges', () => {
  it('reports served when every edge presents the certificate for the name', async () => {
    const certificate = await makeCertificate(name);
    const edges = [
      { edgeId: 'edge-1', address: await startEdge(name, certificate) },
      { edgeId: 'edge-2', address: await startEdge(name, certificate) },
    ];
    expect(await probe(edges, certificate.sha256)).toMatchObject([
      { name: 'certificate.served', payload: { generation: 2, attempt: 1, leafSha256: certificate.sha256 } },
    ]);
  });

  it('reports what the other edges present', async () => {
    const [certificate, old] = [await makeCertificate(name), await makeCertificate(name)];
    const edges = [
      { edgeId: 'edge-good', address: await startEdge(name, certificate) },
      { edgeId: 'edge-old', address: await startEdge(name, old) },
      { edgeId: 'edge-unaware', address: await startEdge('other.example', certificate) },
      { edgeId: 'edge-gone', address: '127.0.0.1:1' },
    ];
    const [event] = await probe(edges, certificate.sha256);
    expect(event).toMatchObject({
      name: 'certificate.not_served',
      payload: {
        seen: [
          { edgeId: 'edge-old', error: `presents another certificate (${old.sha256})` },
          { edgeId: 'edge-unaware' },
          { edgeId: 'edge-gone', error: expect.stringContaining('ECONNREFUSED') },
        ],
      },
    });
  });

  it('times out an edge that does not answer', async () => {
    const silent = await listen(createTcpServer());
    const [event] = await probe([{ edgeId: 'edge-silent', address: silent }], 'ab');
    expect(event).toMatchObject({ payload: { seen: [{ error: 'no handshake within 2000 ms' }] } });
  });

  it('reports not served when there is no edge', async () => {
    expect(await probe([], 'ab')).toMatchObject([{ name: 'certificate.not_served', payload: { seen: [] } }]);
  });

  it('asks a spare in the place of an edge that cannot be reached, and reports that edge', async () => {
    const certificate = await makeCertificate(name);
    const silent = { edgeId: 'edge-silent', address: await listen(createTcpServer()) };
    const gone = { edgeId: 'edge-gone', address: '127.0.0.1:1' };
    const spares = [
      { edgeId: 'spare-1', address: await startEdge(name, certificate) },
      { edgeId: 'spare-2', address: await startEdge(name, certificate) },
      { edgeId: 'spare-3', address: '127.0.0.1:1' },
    ];
    const [served, probed] = await probe([silent, gone], certificate.sha256, { spares, suspects: [] });
    expect(served).toMatchObject({ name: 'certificate.served' });
    expect(probed).toMatchObject({
      name: 'edges.probed',
      payload: {
        results: expect.arrayContaining([
          { edgeId: 'edge-silent', error: 'no handshake within 2000 ms' },
          { edgeId: 'edge-gone', error: expect.stringContaining('ECONNREFUSED') },
          { edgeId: 'spare-1', error: null },
          { edgeId: 'spare-2', error: null },
        ]),
      },
    });
  });

  it('asks no spare in the place of an edge that answers, or of a spare', async () => {
    const certificate = await makeCertificate(name);
    const edges = [
      { edgeId: 'edge-unaware', address: await startEdge('other.example', certificate) },
      { edgeId: 'edge-gone', address: '127.0.0.1:1' },
    ];
    const spares = [
      { edgeId: 'spare-gone', address: '127.0.0.1:1' },
      { edgeId: 'spare-good', address: await startEdge(name, certificate) },
    ];
    const [event] = await probe(edges, certificate.sha256, { spares });
    expect(event).toMatchObject({
      name: 'certificate.not_served',
      payload: { seen: [{ edgeId: 'edge-unaware' }, { edgeId: 'spare-gone' }] },
    });
  });

  it('probes failing edges again without an effect on the domain', async () => {
    const certificate = await makeCertificate(name);
    const edges = [{ edgeId: 'edge-good', address: await startEdge(name, certificate) }];
    const rechecks = [{ edgeId: 'edge-gone', address: '127.0.0.1:1' }];
    const events = await probe(edges, certificate.sha256, { rechecks, suspects: ['edge-gone'] });
    expect(events.map(({ name }) => name)).toEqual(['certificate.served', 'edges.probed']);
    expect(events[1]).toMatchObject({
      payload: { results: [{ edgeId: 'edge-good', error: null }, { edgeId: 'edge-gone' }] },
    });
  });

  it('reports that an edge that had failed passes', async () => {
    const certificate = await makeCertificate(name);
    const edges = [{ edgeId: 'edge-back', address: await startEdge(name, certificate) }];
    const events = await probe(edges, certificate.sha256, { suspects: ['edge-back'] });
    expect(events[1]).toMatchObject({ name: 'edges.probed', payload: { results: [{ error: null }] } });
  });
});
