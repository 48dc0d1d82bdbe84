import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen, freePort, isInstalled, startDevCa, type Pebble } from '@pets/testing';
import {
  jobFor,
  makeWorker,
  newName,
  pointHere,
  startIssuingFixture,
  startTrustedPebble,
  type IssuingFixture,
} from './issuing-fixture.js';

const blocked = 'blocked.example';
let fixture: IssuingFixture;

beforeAll(async () => {
  fixture = await startIssuingFixture();
});
afterAll(() => fixture.stop());

describeWhen(describe, 'issuing from Pebble', isInstalled('pebble') ? null : 'pebble is not installed', () => {
  let pebble: Pebble;

  beforeAll(async () => {
    pebble = await startTrustedPebble(fixture, { nonceRejectPercent: 50, blockedDomains: [blocked] });
  });
  afterAll(() => pebble.stop());

  async function issue(name: string, { issuance, events } = makeWorker(fixture)) {
    await issuance.issue(await jobFor(name, pebble.directoryUrl), AbortSignal.timeout(20_000));
    return events;
  }

  it('gets a certificate for a name that points here, even if the CA refuses every other nonce', async () => {
    const name = pointHere(fixture);
    const events = await issue(name);
    expect(events).toMatchObject([
      { name: 'certificate.issued', payload: { generation: 2, attempt: 1, directoryUrl: pebble.directoryUrl } },
    ]);
    const chainPem = events[0]?.name === 'certificate.issued' ? events[0].payload.chainPem : '';
    expect(new X509Certificate(chainPem).checkHost(name, { subject: 'never' })).toBe(name);
  });

  it('does not order while DNS points elsewhere', async () => {
    const name = newName();
    fixture.dns.put({ type: 'CNAME', name, data: 'elsewhere.example.' });
    expect(await issue(name)).toMatchObject([
      { payload: { stage: 'gate', ordered: false, problem: null, gate: { caa: null, reachability: [] } } },
    ]);
  });

  it('does not order while CAA forbids, and reports the record that would permit it', async () => {
    const name = pointHere(fixture, `${newName()}.caa.example`);
    fixture.dns.put({ type: 'CAA', name: 'caa.example', data: '0 issue "other-ca.example"' });
    const permitting = 'caa.example. CAA 0 issue "configured-ca.test"';
    expect(await issue(name)).toMatchObject([
      { payload: { stage: 'gate', ordered: false, gate: { caa: { kind: 'forbids', at: 'caa.example', permitting } } } },
    ]);
  });

  it('does not order while the challenge is not answered with our key', async () => {
    const worker = makeWorker(fixture);
    fixture.responder.answer = (token) => `${token}.another-account`;
    const error = expect.stringContaining('did not reach our edges');
    expect(await issue(pointHere(fixture), worker)).toMatchObject([
      { payload: { stage: 'gate', ordered: false, gate: { reachability: [{ address: '127.0.0.1', error }] } } },
    ]);
  });

  it('reports the problem when the CA refuses the name', async () => {
    const type = 'urn:ietf:params:acme:error:rejectedIdentifier';
    expect(await issue(pointHere(fixture, blocked))).toMatchObject([
      { name: 'certificate.failed', payload: { stage: 'order', ordered: true, problem: { type } } },
    ]);
  });

  it('reports the problem when the challenge fails at the CA', async () => {
    // The preflight gets the expected answer, the CA that of another account.
    const worker = makeWorker(fixture);
    const { thumbprint } = worker;
    let asked = 0;
    fixture.responder.answer = (token) => `${token}.${asked++ === 0 ? thumbprint : 'another-account'}`;
    const problem = { type: 'urn:ietf:params:acme:error:unauthorized', status: 403 };
    expect(await issue(pointHere(fixture), worker)).toMatchObject([
      { name: 'certificate.failed', payload: { stage: 'challenge', ordered: true, problem } },
    ]);
  });

  it('requests the challenge with the name as the host', async () => {
    const name = pointHere(fixture);
    await issue(name);
    expect(fixture.responder.hosts).toContain(name);
  });
});

describe('issuing from a failing CA', () => {
  it('registers again and announces the account if the CA has lost it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'dev-ca-'));
    const options = {
      dataDir,
      port: await freePort(),
      dnsServers: [fixture.dns.address],
      httpPort: fixture.responder.port,
    };
    const { issuance, accounts, thumbprint, events } = makeWorker(fixture);
    const before = await startDevCa(options);
    await accounts.ensure({ directoryUrl: before.directoryUrl }, AbortSignal.timeout(10_000));
    await before.close();
    const after = await startDevCa(options);
    await issuance.issue(await jobFor(pointHere(fixture), after.directoryUrl), AbortSignal.timeout(20_000));
    expect(events).toMatchObject([
      { name: 'account.ready', payload: { directoryUrl: after.directoryUrl, thumbprint } },
      { name: 'certificate.issued' },
    ]);
    await after.close();
    rmSync(dataDir, { recursive: true });
  });

  it('reports that nothing was ordered from a CA that does not answer', async () => {
    const { issuance, events } = makeWorker(fixture);
    const directoryUrl = `http://127.0.0.1:${await freePort()}/dir`;
    await issuance.issue(await jobFor(newName(), directoryUrl), AbortSignal.timeout(20_000));
    const detail = expect.stringContaining('ECONNREFUSED');
    expect(events).toMatchObject([{ payload: { stage: 'account', ordered: false, problem: { type: null, detail } } }]);
  });

  it('reports the retry time of the CA', async () => {
    const busy = createServer((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '3600' });
      response.end(JSON.stringify({ type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many requests' }));
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const { issuance, events } = makeWorker(fixture);
    const directoryUrl = `http://127.0.0.1:${(busy.address() as AddressInfo).port}/dir`;
    const earliest = Date.now() + 3_600_000;
    await issuance.issue(await jobFor(newName(), directoryUrl), AbortSignal.timeout(20_000));
    const problem = events[0]?.name === 'certificate.failed' ? events[0].payload.problem : null;
    expect(problem).toMatchObject({ type: 'urn:ietf:params:acme:error:rateLimited', status: 429 });
    expect(Date.parse(problem?.retryAt ?? '')).toBeGreaterThanOrEqual(earliest);
    busy.close();
  });

  it('reports a timeout at the deadline of the job', async () => {
    const silent = createServer(() => job.abort(new Error('timed out after 45000 ms')));
    const job = new AbortController();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { issuance, events } = makeWorker(fixture);
    const directoryUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/dir`;
    await issuance.issue(await jobFor(newName(), directoryUrl), job.signal);
    const detail = 'timed out after 45000 ms';
    expect(events).toMatchObject([{ payload: { stage: 'account', ordered: false, gate: null, problem: { detail } } }]);
    silent.closeAllConnections();
    silent.close();
  });
});
