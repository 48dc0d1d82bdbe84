import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as x509 from '@peculiar/x509';
import { startDevCa, type DevCa } from '@pets/testing';
import { RenewalInfoService } from '../src/renewal/renewal-info.service.js';
import { jobFor, makeWorker, pointHere, startIssuingFixture, type IssuingFixture } from './issuing-fixture.js';
import { recordEvents } from './recorded-events.js';

const DAY_MS = 86_400_000;
const signal = () => AbortSignal.timeout(20_000);

/** RFC 9773 §4.1. */
function identifierOf(chainPem: string): string {
  const leaf = new x509.X509Certificate(chainPem);
  const authority = leaf.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId ?? '';
  return [authority, leaf.serialNumber].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
}

function daysOf(chainPem: string): number {
  const { validFromDate, validToDate } = new X509Certificate(chainPem);
  return Math.floor((validToDate.getTime() - validFromDate.getTime()) / DAY_MS);
}

describe('a CA with profiles and renewal information', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'dev-ca-'));
  let fixture: IssuingFixture;
  let ca: DevCa;
  let worker: ReturnType<typeof makeWorker>;

  beforeAll(async () => {
    fixture = await startIssuingFixture();
    const where = { dataDir, dnsServers: [fixture.dns.address], httpPort: fixture.responder.port };
    ca = await startDevCa({ ...where, delays: { finalize: 0.05 } });
    worker = makeWorker(fixture);
  });
  afterAll(async () => {
    await ca.close();
    await fixture.stop();
    rmSync(dataDir, { recursive: true });
  });

  async function issue(name: string, wishes: { profile?: string; replaces?: string }): Promise<string> {
    const before = worker.events.length;
    await worker.issuance.issue({ ...(await jobFor(name, ca.directoryUrl)), ...wishes }, signal());
    const events = worker.events.slice(before);
    expect(events).toMatchObject([{ name: 'certificate.issued' }]);
    return events[0]?.name === 'certificate.issued' ? events[0].payload.chainPem : '';
  }

  async function renewalInfo(certificateIdentifier: string) {
    const { sender, events } = recordEvents();
    const { domainId, generation, attempt, leaseUntil, directoryUrl } = await jobFor(
      'docs.acme.example',
      ca.directoryUrl,
    );
    const job = { domainId, generation, attempt, leaseUntil, directoryUrl };
    await new RenewalInfoService(worker.accounts, sender).fetch({ ...job, certificateIdentifier }, signal());
    return events[0]?.payload;
  }

  it('issues with the requested profile, has renewal information, and accepts a replacement', async () => {
    const name = pointHere(fixture);
    const first = await issue(name, { profile: 'shortlived' });
    expect(daysOf(first)).toBe(6);

    const replaces = identifierOf(first);
    const notAfter = new X509Certificate(first).validToDate.toISOString();
    const info = await renewalInfo(replaces);
    expect(info).toMatchObject({ problem: null, retryAt: expect.any(String) });
    const end = info !== undefined && 'window' in info ? info.window?.end : undefined;
    expect((end ?? '') > new Date().toISOString() && (end ?? '') < notAfter).toBe(true);

    ca.renewNow([name], 'https://ca.test/incident');
    const revoked = await renewalInfo(replaces);
    expect(revoked).toMatchObject({ explanationUrl: 'https://ca.test/incident' });
    const passed = revoked !== undefined && 'window' in revoked ? revoked.window?.end : undefined;
    expect((passed ?? '') < new Date().toISOString()).toBe(true);

    await issue(name, { replaces });
    // It has been replaced by now, and the CA refuses that.
    await issue(name, { replaces });
  });

  it('issues without an unknown profile', async () => {
    expect(daysOf(await issue(pointHere(fixture), { profile: 'tomorrow' }))).toBe(90);
  });

  it('has no information about a certificate of another CA', async () => {
    expect(await renewalInfo('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')).toMatchObject({
      window: null,
      problem: { status: 404 },
    });
  });
});
