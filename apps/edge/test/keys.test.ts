import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { certificateKeyBinding } from '@pets/contracts';
import { parseKeyRing, rewrap } from '@pets/platform';
import { Stand } from './stand.js';

const fresh = `fresh:${randomBytes(32).toString('base64')}`;
let stand: Stand;

beforeEach(async () => {
  stand = await Stand.build();
  await stand.startEdge();
  await stand.publishSite('site.test', 'site');
  expect((await stand.visitor.secure('site.test')).status).toBe(200);
  await stand.stopEdge();
});
afterEach(() => stand.tearDown());

/** What the API does with its certificates when keys are rotated. */
function rewrapAtTheApi(id: string): void {
  const certificate = stand.api.certificates.get(id);
  if (certificate === undefined) throw new Error(`there is no certificate ${id}`);
  const { organizationId, sealedKey } = certificate;
  const both = parseKeyRing(`${fresh},${stand.env['CERTIFICATE_KEKS'] ?? ''}`);
  const rewrapped = rewrap(both, sealedKey, certificateKeyBinding(id, organizationId));
  stand.api.certificates.set(id, { ...certificate, sealedKey: rewrapped });
}

describe('an edge whose stored certificate is below a key that it was not given', () => {
  it('refuses the handshake without asking the API at each, and serves by itself once the API has rewrapped it', async () => {
    const before = stand.api.certificateRequests.length;
    await stand.startEdge({ CERTIFICATE_KEKS: fresh });
    for (let visit = 0; visit < 5; visit++) await expect(stand.visitor.secure('site.test')).rejects.toThrow();
    expect(stand.api.certificateRequests.length - before).toBe(1);
    rewrapAtTheApi('site');
    stand.clockAheadMs += 31_000;
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
  });

  it('keeps the copy that it fetched: it serves after a restart without the API’s certificates', async () => {
    rewrapAtTheApi('site');
    await stand.startEdge({ CERTIFICATE_KEKS: fresh });
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
    await stand.stopEdge();
    stand.api.certificates.clear();
    await stand.startEdge({ CERTIFICATE_KEKS: fresh });
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
  });

  it('keeps the stored copy where no other is to be had, for when it is given the key again', async () => {
    stand.api.certificates.clear();
    await stand.startEdge({ CERTIFICATE_KEKS: fresh });
    await expect(stand.visitor.secure('site.test')).rejects.toThrow();
    await stand.stopEdge();
    await stand.startEdge();
    expect((await stand.visitor.secure('site.test')).status).toBe(200);
  });
});
