import { randomUUID, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen, isInstalled, waitUntil, type Pebble } from '@pets/testing';
import { thumbprintOf } from '../src/certificate-authority/acme-jws.js';
import { makeAccountKey } from './certificates.js';
import {
  jobFor,
  makeWorker,
  pointHere,
  startIssuingFixture,
  startPebbleProxy,
  startTrustedPebble,
  type IssuingFixture,
  type PebbleProxy,
  type IssuingWorker,
} from './issuing-fixture.js';

const [key, former] = [makeAccountKey(), makeAccountKey()];
const [thumbprint, formerThumbprint] = [thumbprintOf(key), thumbprintOf(former)];

/** Pebble checks every key: of an account, of a challenge, and of a revocation. */
describeWhen(describe, 'a replaced account key', isInstalled('pebble') ? null : 'pebble is not installed', () => {
  let fixture: IssuingFixture;
  let pebble: Pebble;
  let proxy: PebbleProxy;
  let directoryUrl: string;
  let worker: IssuingWorker;

  beforeAll(async () => {
    fixture = await startIssuingFixture();
    pebble = await startTrustedPebble(fixture);
    proxy = await startPebbleProxy(pebble);
    ({ directoryUrl } = proxy);
    worker = makeWorker(fixture, { ACME_DIRECTORY_URLS: [directoryUrl], ACME_ACCOUNT_KEY: [key, former] });
  });
  afterAll(async () => {
    await proxy.close();
    await pebble.stop();
    await fixture.stop();
  });

  const answerWith = (of: string) => {
    fixture.responder.answer = (token) => `${token}.${of}`;
  };

  async function issue(accountThumbprint: string) {
    const job = await jobFor(pointHere(fixture), directoryUrl, accountThumbprint);
    await worker.issuance.issue(job, AbortSignal.timeout(20_000));
    return worker.events.splice(0).at(-1);
  }

  async function revoke(chainPem: string, accountThumbprint: string) {
    const certificate = new X509Certificate(chainPem).raw.toString('base64url');
    const ids = { certificateId: randomUUID(), domainId: randomUUID(), attempt: 1 };
    const leaseUntil = new Date(Date.now() + 40_000).toISOString();
    const job = { ...ids, leaseUntil, directoryUrl, accountThumbprint, certificate, reason: 'superseded' as const };
    await worker.revocation.revoke(job, AbortSignal.timeout(20_000));
    return worker.events.splice(0).at(-1);
  }

  it('is not announced: the edges answer for the first key', async () => {
    worker.announcer.start();
    await waitUntil(() => worker.events.length > 0, { timeoutMs: 15_000, message: 'the account' });
    worker.announcer.stop();
    expect(worker.events.splice(0)).toMatchObject([{ name: 'account.ready', payload: { directoryUrl, thumbprint } }]);
  });

  it.each([
    ['the first key', thumbprint, formerThumbprint],
    ['the replaced key', formerThumbprint, thumbprint],
  ])('%s finishes what it ordered, and it alone revokes that', async (_name, own, other) => {
    answerWith(own);
    const issued = await issue(own);
    if (issued?.name !== 'certificate.issued') throw new Error('no certificate');
    const { chainPem } = issued.payload;
    expect(await revoke(chainPem, other)).toMatchObject({
      name: 'certificate.revocation_failed',
      payload: { problem: { type: 'urn:ietf:params:acme:error:unauthorized' } },
    });
    expect(await revoke(chainPem, own)).toMatchObject({ name: 'certificate.revoked' });
  });

  it('does not order while the edges answer with the thumbprint of the other key', async () => {
    answerWith(thumbprint);
    const orders = proxy.requests.length;
    expect(await issue(formerThumbprint)).toMatchObject({
      name: 'certificate.failed',
      payload: { stage: 'gate', ordered: false },
    });
    expect(proxy.requests.slice(orders).filter((line) => line.includes('/order-plz'))).toEqual([]);
  });

  it('reports a key that this worker lacks, without an order', async () => {
    expect(await issue('unknown')).toMatchObject({
      name: 'certificate.failed',
      payload: {
        stage: 'account',
        ordered: false,
        problem: { detail: 'this worker has no account key with the thumbprint unknown' },
      },
    });
  });
});
