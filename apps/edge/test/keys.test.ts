import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { certificateKeyBinding } from '@pets/contracts';
import { parseKeyRing, rewrap } from '@pets/platform';
import { EdgeFixture } from './edge-fixture.js';

const fresh = `fresh:${randomBytes(32).toString('base64')}`;
let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.publishSite('site.test', 'site');
  expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  await fixture.stopEdge();
});
afterEach(() => fixture.tearDown());

/** Re-encrypts certificates as the API does when keys are rotated. */
function rewrapAtTheApi(id: string): void {
  const certificate = fixture.api.certificates.get(id);
  if (certificate === undefined) throw new Error(`there is no certificate ${id}`);
  const { organizationId, sealedKey } = certificate;
  const both = parseKeyRing(`${fresh},${fixture.env['CERTIFICATE_KEKS'] ?? ''}`);
  const rewrapped = rewrap(both, sealedKey, certificateKeyBinding(id, organizationId));
  fixture.api.certificates.set(id, { ...certificate, sealedKey: rewrapped });
}

describe('an edge without the key of a stored certificate', () => {
  it('refuses handshakes without a request to the API for each, and serves again when the API has rewrapped the key', async () => {
    const before = fixture.api.certificateRequests.length;
    await fixture.startEdge({ CERTIFICATE_KEKS: fresh });
    for (let visit = 0; visit < 5; visit++) await expect(fixture.visitor.secure('site.test')).rejects.toThrow();
    expect(fixture.api.certificateRequests.length - before).toBe(1);
    rewrapAtTheApi('site');
    fixture.clockAheadMs += 31_000;
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });

  it('stores the fetched copy and serves from it after a restart without the API', async () => {
    rewrapAtTheApi('site');
    await fixture.startEdge({ CERTIFICATE_KEKS: fresh });
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
    await fixture.stopEdge();
    fixture.api.certificates.clear();
    await fixture.startEdge({ CERTIFICATE_KEKS: fresh });
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });

  it('keeps the stored copy when there is no other, and serves it when the key is configured again', async () => {
    fixture.api.certificates.clear();
    await fixture.startEdge({ CERTIFICATE_KEKS: fresh });
    await expect(fixture.visitor.secure('site.test')).rejects.toThrow();
    await fixture.stopEdge();
    await fixture.startEdge();
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });
});
