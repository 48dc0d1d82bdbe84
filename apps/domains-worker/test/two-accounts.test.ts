import { randomUUID, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen, isInstalled, startFaultProxy, waitUntil, type FaultProxy, type Pebble } from '@pets/testing';
import { thumbprintOf } from '../src/certificate-authority/acme-jws.js';
import { makeAccountKey } from './certificates.js';
import {
  jobFor,
  makeWorker,
  pointHere,
  startIssuingFixture,
  startTrustedPebble,
  type IssuingFixture,
  type IssuingWorker,
} from './issuing-fixture.js';

const key = makeAccountKey();
const thumbprint = thumbprintOf(key);

/** Pebble checks every key: of an account, of a challenge, and of a revocation. */
describeWhen(describe, 'two accounts at a CA', isInstalled('pebble') ? null : 'pebble is not installed', () => {
  let fixture: IssuingFixture;
  let pebble: Pebble;
  let proxy: FaultProxy;
  let directoryUrl: string;
  let worker: IssuingWorker;

  beforeAll(async () => {
    fixture = await startIssuingFixture();
    pebble = await startTrustedPebble(fixture);
    const { origin, pathname } = new URL(pebble.directoryUrl);
    proxy = await startFaultProxy({ target: origin, tls: pebble.tls });
    directoryUrl = proxy.origin + pathname;
    worker = makeWorker(fixture, {
      ACME_DIRECTORY_URLS: [directoryUrl],
      ACME_ACCOUNTS: [{ account: 'b', directoryUrl, share: 1, limits: [] }],
      ACME_ACCOUNT_KEYS: new Map([['b', key]]),
    });
  });
  afterAll(async () => {
    await proxy.close();
    await pebble.stop();
    await fixture.stop();
  });

  const answerWith = (of: string) => {
    fixture.responder.answer = (token) => `${token}.${of}`;
  };

  async function issue(account: string) {
    const job = { ...(await jobFor(pointHere(fixture), directoryUrl)), account };
    await worker.issuance.issue(job, AbortSignal.timeout(20_000));
    return worker.events.splice(0).at(-1);
  }

  async function revoke(chainPem: string, account: string) {
    const certificate = new X509Certificate(chainPem).raw.toString('base64url');
    const ids = { certificateId: randomUUID(), domainId: randomUUID(), attempt: 1 };
    const leaseUntil = new Date(Date.now() + 40_000).toISOString();
    const job = { ...ids, leaseUntil, directoryUrl, account, certificate, reason: 'superseded' as const };
    await worker.revocation.revoke(job, AbortSignal.timeout(20_000));
    return worker.events.splice(0).at(-1);
  }

  it('are opened and announced, the second one with its own key and again as long as the process runs', async () => {
    worker.announcer.start();
    const announced = () => worker.events.filter(({ name }) => name === 'accounts.announced');
    const hasBoth = () => worker.events.some(({ name }) => name === 'account.ready') && announced().length > 1;
    await waitUntil(hasBoth, { timeoutMs: 15_000, message: 'both accounts' });
    worker.announcer.stop();
    expect(announced().at(-1)).toMatchObject({
      payload: { workerId: expect.any(String), accounts: [{ name: 'b', directoryUrl, thumbprint }] },
    });
    expect(worker.thumbprint).not.toBe(thumbprint);
    worker.events.length = 0;
  });

  it.each(['default', 'b'])('%s: issues with the thumbprint of its key, and its key alone revokes', async (account) => {
    answerWith(account === 'b' ? thumbprint : worker.thumbprint);
    const issued = await issue(account);
    expect(issued).toMatchObject({ name: 'certificate.issued', payload: { directoryUrl, account } });
    if (issued?.name !== 'certificate.issued') throw new Error('no certificate');
    const { chainPem } = issued.payload;
    expect(await revoke(chainPem, account === 'b' ? 'default' : 'b')).toMatchObject({
      name: 'certificate.revocation_failed',
      payload: { problem: { type: 'urn:ietf:params:acme:error:unauthorized' } },
    });
    expect(await revoke(chainPem, account)).toMatchObject({ name: 'certificate.revoked' });
  });

  it('does not order while the edges answer with the thumbprint of the other account', async () => {
    answerWith(worker.thumbprint);
    const orders = proxy.requests.length;
    expect(await issue('b')).toMatchObject({ name: 'certificate.failed', payload: { stage: 'gate', ordered: false } });
    expect(proxy.requests.slice(orders).filter((line) => line.includes('/order-plz'))).toEqual([]);
  });

  it('reports an account whose key this worker lacks, without an order', async () => {
    expect(await issue('c')).toMatchObject({
      name: 'certificate.failed',
      payload: {
        stage: 'account',
        ordered: false,
        problem: { detail: 'this worker has no key of the account c' },
      },
    });
  });
});
