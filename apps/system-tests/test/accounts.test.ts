import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { addDomain, goLive } from './domain-steps.js';
import { missingServices, startOnServices, type StackFixture } from './stack-fixtures.js';

jest.setTimeout(240_000);

const MOST_DOMAINS = 20;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describeWhen(describe, 'two accounts at Pebble', missingServices(), () => {
  let fixture: StackFixture;
  beforeAll(async () => {
    const secondAccountKey = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string; // a PEM export is text
    fixture = await startOnServices({ secondAccountKey });
  });
  afterAll(() => fixture?.close());

  it('both issue certificates, each with challenges that the edge answers with the thumbprint of its own key', async () => {
    const thumbprints = new Map<string, number>();
    for (let count = 1; count <= MOST_DOMAINS && thumbprints.size < 2; count++) {
      const name = `docs-${count}.accounts.example.com`;
      await goLive(fixture, name, await addDomain(fixture, name));
      const thumbprint = await challengeThumbprint(name);
      thumbprints.set(thumbprint, (thumbprints.get(thumbprint) ?? 0) + 1);
    }
    expect([...thumbprints.keys()]).toContain(thumbprintOfSecond());
    expect(thumbprints.size).toBe(2);
  });

  /** What the edge answers to a challenge of the name. */
  async function challengeThumbprint(name: string): Promise<string> {
    const token = 'a'.repeat(32);
    const url = new URL(`/.well-known/acme-challenge/${token}`, fixture.stack.dev.edgeHttpUrl);
    const answer = await new Promise<string>((resolve, reject) => {
      request(url, { headers: { host: name } }, (response) => void text(response).then(resolve, reject))
        .on('error', reject)
        .end();
    });
    return answer.slice(token.length + 1);
  }
});

/** RFC 7638. */
function thumbprintOfSecond(): string {
  const { crv, kty, x, y } = createPublicKey(privateKey).export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}
