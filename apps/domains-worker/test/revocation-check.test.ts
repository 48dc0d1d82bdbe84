import { randomUUID, X509Certificate } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { domainEvents, domainJobs, type DomainJobs } from '@pets/contracts';
import { createTestCa, freePort, testKeys, type TestCa, type TestLeaf } from '@pets/testing';
import { RevocationCheckService } from '../src/revocation/revocation-check.service.js';
import { recordEvents } from './recorded-events.js';

type Job = DomainJobs['check-revocation-list'];

let ca: TestCa;
let leaf: TestLeaf;
const ending: (() => Promise<void>)[] = [];

beforeAll(async () => {
  ca = await (await createTestCa()).issueCa('Test Issuing CA');
  leaf = await ca.issue({ names: ['docs.example.com'] });
});
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** A server of lists. @returns its base URL */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ending.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server that listens
}

const serveList = (list: Buffer) => serve((_request, response) => response.end(list));

async function check(urls: string[], { allowsPrivate = true, issuer = ca, of = leaf } = {}) {
  const { sender, events } = recordEvents();
  const service = new RevocationCheckService({ ALLOW_PRIVATE_WEBHOOK_TARGETS: allowsPrivate }, sender);
  ending.push(() => service.onApplicationShutdown());
  const job: Job = {
    ...{ certificateId: randomUUID(), domainId: randomUUID(), organizationId: randomUUID(), attempt: 1 },
    leaseUntil: new Date(Date.now() + 60_000).toISOString(),
    ...{ urls, serialNumber: of.serialNumber },
    issuer: new X509Certificate(issuer.certPem).raw.toString('base64url'),
  };
  await service.check(domainJobs['check-revocation-list'].schema.parse(job), AbortSignal.timeout(20_000));
  const [event] = events;
  if (event?.name !== 'revocation_list.checked') throw new Error('no result');
  return domainEvents['revocation_list.checked'].parse(event.payload);
}

describe('a revocation list', () => {
  it('says that a certificate is not revoked', async () => {
    const url = await serveList(await ca.revocationList({ revoked: ['0102', '0304'] }));
    expect(await check([url])).toMatchObject({ result: 'good', detail: null });
  });

  it('says since when a certificate is revoked', async () => {
    const url = await serveList(await ca.revocationList({ revoked: ['0102', leaf.serialNumber] }));
    expect(await check([url])).toMatchObject({ result: 'revoked', detail: expect.stringMatching(/^since \d{4}-/) });
  });

  it('of a CA with an RSA key counts as well', async () => {
    const rsa = await createTestCa('RSA CA', { key: testKeys.rsa(2_048) });
    const of = await rsa.issue({ names: ['docs.example.com'] });
    const url = await serveList(await rsa.revocationList({ revoked: [of.serialNumber] }));
    expect(await check([url], { issuer: rsa, of })).toMatchObject({ result: 'revoked' });
  });

  it('is read from the next address if the first one does not answer', async () => {
    const gone = `http://127.0.0.1:${await freePort()}/`;
    const url = await serveList(await ca.revocationList());
    expect(await check([gone, url])).toMatchObject({ result: 'good' });
  });

  it('decides at once, while other addresses hang', async () => {
    const hanging = await Promise.all([serve(() => undefined), serve(() => undefined)]);
    const url = await serveList(await ca.revocationList());
    const beganMs = performance.now();
    expect(await check([...hanging, url])).toMatchObject({ result: 'good' });
    expect(performance.now() - beganMs).toBeLessThan(4_000);
  });

  it('that hangs at every address takes the time of one', async () => {
    const urls = await Promise.all([1, 2, 3].map(() => serve(() => undefined)));
    const beganMs = performance.now();
    expect(await check(urls)).toMatchObject({ result: 'unknown' });
    expect(performance.now() - beganMs).toBeLessThan(9_000);
  });

  it('with many entries is read without blocking the event loop', async () => {
    const revoked = Array.from({ length: 4_000 }, (_, i) => `01${i.toString(16).padStart(8, '0')}`);
    const url = await serveList(await ca.revocationList({ revoked: [...revoked, leaf.serialNumber] }));
    const before = { whole: process.cpuUsage(), own: process.threadCpuUsage() };
    expect(await check([url])).toMatchObject({ result: 'revoked' });
    // Another thread works on it. This one would have more than half of the time otherwise, however busy the machine is.
    const [whole, own] = [process.cpuUsage(before.whole), process.threadCpuUsage(before.own)];
    expect(own.user + own.system).toBeLessThan((whole.user + whole.system) / 2);
  });
});

describe('a list proves nothing', () => {
  it('if another CA of the same name signed it', async () => {
    const impostor = await createTestCa('Test Issuing CA');
    const url = await serveList(await impostor.revocationList({ revoked: [leaf.serialNumber] }));
    expect(await check([url])).toMatchObject({ result: 'unknown', detail: 'the list is not signed by the CA' });
  });

  it.each([
    ['outdated', { nextUpdate: new Date(Date.now() - 1_000) }, /outdated/],
    ['not valid yet', { thisUpdate: new Date(Date.now() + 86_400_000) }, /not valid yet/],
  ])('if it is %s', async (_title, times, detail) => {
    const url = await serveList(await ca.revocationList({ revoked: [leaf.serialNumber], ...times }));
    expect(await check([url])).toMatchObject({ result: 'unknown', detail: expect.stringMatching(detail) });
  });

  it.each<[string, RequestListener, RegExp]>([
    ['is no list', (_request, response) => response.end('<html>'), /cannot be read/],
    ['is not found', (_request, response) => response.writeHead(404).end(), /status 404/],
    ['is a redirect', (_request, response) => response.writeHead(302, { location: '/other' }).end(), /status 302/],
    ['is larger than 1 MiB', (_request, response) => response.end(Buffer.alloc(1024 * 1024 + 1)), /more than 1048576/],
    ['breaks off', (request) => request.socket.destroy(), /cannot be read/],
  ])('if it %s', async (_title, answer, detail) => {
    const url = await serve(answer);
    expect(await check([url])).toMatchObject({ result: 'unknown', detail: expect.stringMatching(detail) });
  });

  it('if its server does not answer in time', async () => {
    const url = await serve(() => undefined);
    const beganMs = performance.now();
    expect(await check([url])).toMatchObject({ result: 'unknown' });
    expect(performance.now() - beganMs).toBeLessThan(9_000);
  });

  it('at an address that is not on the public Internet, to which nothing is sent', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.end();
    });
    const named = url.replace('127.0.0.1', 'localhost');
    for (const address of [url, named])
      expect(await check([address], { allowsPrivate: false })).toMatchObject({
        result: 'unknown',
        detail: expect.stringMatching(/no address on the public Internet/),
      });
    expect(requests).toBe(0);
  });
});
