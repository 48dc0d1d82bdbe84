import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { waitUntil } from '@pets/testing';
import { askHttp2 } from './visitor.js';
import { storedCertificatePath } from './certificates.js';
import { siteRoute, EdgeFixture } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.publishSite('kept.test');
  await fixture.publishSite('gone.test');
});

afterEach(() => fixture.tearDown());

/** Resolves with the status, or 0 when the connection was refused or broken. */
const statusOf = (asking: Promise<{ status: number }>) => asking.then(({ status }) => status).catch(() => 0);

const remove = () => fixture.api.publishAndSettle({ 'gone.test': null });

describe('an edge that has acknowledged a removal', () => {
  it('refuses new handshakes', async () => {
    await remove();
    await expect(fixture.visitor.handshake('gone.test')).rejects.toThrow('unrecognized name');
  });

  it('has ended open keep-alive connections', async () => {
    const agent = fixture.visitor.keepAliveAgent();
    expect((await fixture.visitor.secure('gone.test', {}, agent)).status).toBe(200);
    await remove();
    expect(await statusOf(fixture.visitor.secure('gone.test', {}, agent))).toBe(0);
  });

  it('has ended open HTTP/2 sessions', async () => {
    const session = await fixture.visitor.http2('gone.test');
    expect((await askHttp2(session, 'gone.test')).status).toBe(200);
    await remove();
    expect(await statusOf(askHttp2(session, 'gone.test'))).toBe(0);
  });

  it('has ended downloads in progress', async () => {
    const socket = await fixture.visitor.handshake('gone.test');
    socket.on('error', () => undefined);
    socket.write('GET /large.bin HTTP/1.1\r\nHost: gone.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(30_000) });
    const closed = once(socket.resume(), 'close', { signal: AbortSignal.timeout(30_000) });
    closed.catch(() => undefined); // looked at below
    await remove();
    // By a reset: after a mere close the kernel would go on to send what it still held.
    await expect(closed).rejects.toThrow('ECONNRESET');
  });

  it('resumes no earlier TLS session', async () => {
    const socket = await fixture.visitor.handshake('gone.test');
    socket.on('error', () => undefined);
    const session = socket.getSession();
    await remove();
    await expect(fixture.visitor.handshake('gone.test', session === undefined ? {} : { session })).rejects.toThrow(
      'unrecognized name',
    );
  });

  it('never serves the host again, even under constant requests during the removal', async () => {
    const agents = Array.from({ length: 5 }, () => fixture.visitor.keepAliveAgent());
    const sessions = await Promise.all(Array.from({ length: 3 }, () => fixture.visitor.http2('gone.test')));
    const statuses: { atMs: number; status: number }[] = [];
    const state = { isAsking: true };
    const askOnAndOn = async (ask: () => Promise<{ status: number }>) => {
      while (state.isAsking) {
        const atMs = performance.now();
        statuses.push({ atMs, status: await statusOf(ask()) });
        await setImmediate(); // a request on a closed session fails without a turn of the event loop
      }
    };
    const asking = [
      ...agents.map((agent) => askOnAndOn(() => fixture.visitor.secure('gone.test', {}, agent))),
      ...sessions.map((session) => askOnAndOn(() => askHttp2(session, 'gone.test'))),
      askOnAndOn(() => fixture.visitor.secure('gone.test')),
    ];
    await waitUntil(() => statuses.filter(({ status }) => status === 200).length > 50, {
      message: 'visitors are served',
    });
    await remove();
    const removedAtMs = performance.now();
    await waitUntil(() => statuses.filter(({ atMs }) => atMs > removedAtMs).length > 50, {
      message: 'visitors have asked again',
    });
    state.isAsking = false;
    await Promise.all(asking);
    expect(statuses.filter(({ atMs, status }) => atMs > removedAtMs && status !== 0)).toEqual([]);
  });

  it('continues to serve other hosts on their open connections', async () => {
    const agent = fixture.visitor.keepAliveAgent();
    const session = await fixture.visitor.http2('kept.test');
    await fixture.visitor.secure('kept.test', {}, agent);
    await remove();
    expect((await fixture.visitor.secure('kept.test', {}, agent)).status).toBe(200);
    expect((await askHttp2(session, 'kept.test')).status).toBe(200);
  });

  it('keeps no copy of its certificate', async () => {
    await fixture.visitor.secure('kept.test');
    await fixture.visitor.secure('gone.test');
    const isStored = (host: string) => existsSync(storedCertificatePath(fixture.edgeFolder, `certificate-of-${host}`));
    await waitUntil(() => isStored('gone.test') && isStored('kept.test'), { message: 'the files are written' });
    await remove();
    await waitUntil(() => !isStored('gone.test'), { message: 'the file is deleted' });
    expect(isStored('kept.test')).toBe(true);
  });
});

describe('acknowledgements', () => {
  it('are sent even when a certificate cannot be fetched, whose handshakes are refused', async () => {
    await fixture.api.publishAndSettle({ 'broken.test': siteRoute('missing') });
    await expect(fixture.visitor.handshake('broken.test')).rejects.toThrow('unrecognized name');
  });
});

it('presents a renewed certificate without ending open connections', async () => {
  const agent = fixture.visitor.keepAliveAgent();
  await fixture.visitor.secure('kept.test', {}, agent);
  const before = (await fixture.visitor.handshake('kept.test')).getPeerX509Certificate()?.fingerprint256;
  await fixture.publishSite('kept.test', 'renewed');
  const after = (await fixture.visitor.handshake('kept.test')).getPeerX509Certificate()?.fingerprint256;
  expect(after).not.toBe(before);
  expect((await fixture.visitor.secure('kept.test', {}, agent)).status).toBe(200);
});
