import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWhen, waitUntil } from '@pets/testing';
import { addDomain, at, getDomain, goLive, SITE } from './domain-steps.js';
import { visitorOf } from './tls-visits.js';
import { missingServices, startOnServices, type StackFixture } from './stack-fixtures.js';

jest.setTimeout(180_000);

/** Renewed when half of it is left. */
const CERTIFICATE_SECONDS = 24;

describeWhen(describe, 'a certificate that lives for seconds', missingServices(), () => {
  let fixture: StackFixture;
  beforeAll(async () => {
    fixture = await startOnServices({ certificateSeconds: CERTIFICATE_SECONDS });
  });
  afterAll(() => fixture?.close());

  it('is renewed automatically and replaced while visitors come, on connections that stay open', async () => {
    await goLive(fixture, SITE, await addDomain(fixture, SITE));
    const first = (await getDomain(fixture, SITE)).certificate;
    const port = new URL(fixture.stack.dev.edgeHttpsUrl).port;
    const staying = visitorOf(SITE, { staysConnected: true });
    const coming = visitorOf(SITE, { staysConnected: false });
    const before = await coming.visit(port);
    const kept = await staying.visit(port);

    await waitUntil(
      async () => {
        const [again, stays] = [await coming.visit(port), await staying.visit(port)];
        expect([again.status, stays.status, stays.localPort]).toEqual([200, 200, kept.localPort]);
        return again.serial !== before.serial;
      },
      { timeoutMs: CERTIFICATE_SECONDS * 2_000, intervalMs: 100, message: 'the renewed certificate' },
    );
    staying.close();
    coming.close();

    const renewed = await getDomain(fixture, SITE);
    expect([renewed.state, renewed.issues]).toEqual(['live', []]);
    expect(Date.parse(renewed.certificate?.notAfter ?? '')).toBeGreaterThan(Date.parse(first?.notAfter ?? ''));
    const history = await fixture.pets.GET('/v1/projects/{projectId}/domains/{domain}/events', at(fixture, SITE));
    expect(history.data?.at(-1)).toMatchObject({
      type: 'certificate.issued',
      to: 'live',
      detail: 'certificate renewed',
    });
  });
});
