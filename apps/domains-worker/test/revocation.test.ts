/** Certificates that real CAs are asked to revoke: Let's Encrypt's Pebble, and the one of the development stack. */
import { randomUUID, X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainJobs } from '@pets/contracts';
import { describeWhen, isInstalled, startDevCa, type DevCa, type Pebble } from '@pets/testing';
import {
  accountThumbprint,
  jobFor,
  makeWorker,
  pointHere,
  startIssuingFixture,
  startPebbleProxy,
  startTrustedPebble,
  type IssuingFixture,
  type IssuingWorker,
} from './issuing-fixture.js';

type Job = DomainJobs['revoke-certificate'];

let fixture: IssuingFixture;

beforeAll(async () => {
  fixture = await startIssuingFixture();
});
afterAll(() => fixture.stop());

/** A certificate that was just issued to a worker. */
async function obtain({ issuance, events }: IssuingWorker, directoryUrl: string): Promise<X509Certificate> {
  await issuance.issue(await jobFor(pointHere(fixture), directoryUrl), AbortSignal.timeout(20_000));
  const issued = events.splice(0).find(({ name }) => name === 'certificate.issued');
  if (issued?.name !== 'certificate.issued') throw new Error('no certificate was issued');
  return new X509Certificate(issued.payload.chainPem);
}

function revocationOf(certificate: X509Certificate, directoryUrl: string, changes: Partial<Job> = {}): Job {
  return {
    certificateId: randomUUID(),
    domainId: randomUUID(),
    attempt: 1,
    leaseUntil: new Date(Date.now() + 40_000).toISOString(),
    directoryUrl,
    accountThumbprint,
    certificate: certificate.raw.toString('base64url'),
    reason: 'cessation_of_operation',
    ...changes,
  };
}

async function revoke({ revocation, events }: IssuingWorker, job: Job) {
  await revocation.revoke(job, AbortSignal.timeout(20_000));
  return events.splice(0);
}

describeWhen(describe, 'revocation at Pebble', isInstalled('pebble') ? null : 'pebble is not installed', () => {
  let pebble: Pebble;
  beforeAll(async () => {
    pebble = await startTrustedPebble(fixture, { nonceRejectPercent: 20 });
  });
  afterAll(() => pebble.stop());

  it('revokes a certificate with the given reason, and reports the second time as already done', async () => {
    const worker = makeWorker(fixture);
    const certificate = await obtain(worker, pebble.directoryUrl);
    const job = revocationOf(certificate, pebble.directoryUrl);
    const { certificateId, domainId, attempt, directoryUrl } = job;
    expect(await pebble.certificateStatus(certificate.serialNumber)).toMatchObject({ Status: 'Valid' });
    expect(await revoke(worker, job)).toEqual([
      { name: 'certificate.revoked', payload: { certificateId, domainId, attempt, directoryUrl } },
    ]);
    expect(await pebble.certificateStatus(certificate.serialNumber)).toMatchObject({ Status: 'Revoked', Reason: 5 });
    expect(await revoke(worker, job)).toMatchObject([
      {
        name: 'certificate.revocation_failed',
        payload: { problem: { type: 'urn:ietf:params:acme:error:alreadyRevoked' } },
      },
    ]);
  });

  it('works from another worker with the account key', async () => {
    const certificate = await obtain(makeWorker(fixture), pebble.directoryUrl);
    expect(await revoke(makeWorker(fixture), revocationOf(certificate, pebble.directoryUrl))).toMatchObject([
      { name: 'certificate.revoked' },
    ]);
  });

  it('registers the account again if the CA has lost it, and reports its answer', async () => {
    const worker = makeWorker(fixture);
    const certificate = await obtain(worker, pebble.directoryUrl);
    await pebble.restart();
    expect(await revoke(worker, revocationOf(certificate, pebble.directoryUrl))).toMatchObject([
      { name: 'account.ready', payload: { thumbprint: worker.thumbprint } },
      { name: 'certificate.revocation_failed', payload: { problem: { status: expect.any(Number) } } },
    ]);
    expect((await obtain(worker, pebble.directoryUrl)).subjectAltName).toContain('acme.example');
  });

  it('reports a CA that does not answer', async () => {
    const worker = makeWorker(fixture);
    const certificate = await obtain(worker, pebble.directoryUrl);
    const proxy = await startPebbleProxy(pebble);
    await proxy.close();
    expect(await revoke(makeWorker(fixture), revocationOf(certificate, proxy.directoryUrl))).toMatchObject([
      { name: 'certificate.revocation_failed', payload: { problem: { type: null, status: null } } },
    ]);
  });
});

describe('revocation at the development CA', () => {
  let folder: string;
  let ca: DevCa;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pets-ca-'));
    const { dns, responder } = fixture;
    ca = await startDevCa({ dataDir: folder, dnsServers: [dns.address], httpPort: responder.port, ignoresCaa: true });
  });
  afterAll(async () => {
    await ca.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['unspecified', 0],
    ['key_compromise', 1],
    ['superseded', 4],
    ['cessation_of_operation', 5],
  ] as const)('is given the reason %s by its number', async (reason, code) => {
    const worker = makeWorker(fixture);
    const certificate = await obtain(worker, ca.directoryUrl);
    expect(await revoke(worker, revocationOf(certificate, ca.directoryUrl, { reason }))).toMatchObject([
      { name: 'certificate.revoked' },
    ]);
    const name = certificate.subjectAltName?.replace('DNS:', '');
    expect(ca.revocations()).toContainEqual({ names: [name], reason: code, at: expect.any(String) });
  });
});
