import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as acme from 'acme-client';
import type { CertificateFixture } from './certificate-fixture.js';

/**
 * The minimum that issues a certificate: the usual client, an existing account, and a responder for challenges at an
 * address of this machine that is not the edge's, since the CA connects to one port at all addresses.
 */
export interface BareIssuer {
  /** A key, a request, an order, HTTP-01, and the chain. Nothing is checked, stored, served or verified. */
  issue(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The client waits five seconds between two polls by default; it is measured with the polling of ours. */
const polling: Pick<acme.ClientOptions, 'backoffAttempts' | 'backoffMin' | 'backoffMax'> = {
  backoffAttempts: 100,
  backoffMin: 20,
  backoffMax: 2_000,
};

export async function openBareIssuer(
  { dnsOfCa, pebble, httpPort }: CertificateFixture,
  address: string,
): Promise<BareIssuer> {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(pebble.caCertificatePath, 'utf8')]);
  const answers = new Map<string, string>();
  const responder = createServer((request, response) => response.end(answers.get(request.url ?? '')));
  responder.listen(httpPort, address);
  await once(responder, 'listening');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const client = new acme.Client({
    directoryUrl: pebble.directoryUrl,
    accountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ...polling,
  });
  await client.createAccount({ termsOfServiceAgreed: true });
  return {
    issue: async (name) => {
      dnsOfCa.put({ type: 'A', name, data: address });
      const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      });
      const [, csr] = await acme.crypto.createCsr({ commonName: name }, key);
      const order = await client.createOrder({ identifiers: [{ type: 'dns', value: name }] });
      for (const authorization of await client.getAuthorizations(order)) {
        const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
        if (challenge === undefined) throw new Error('the CA offers no http-01 challenge');
        const answer = await client.getChallengeKeyAuthorization(challenge);
        answers.set(`/.well-known/acme-challenge/${challenge.token}`, answer);
        await client.completeChallenge(challenge);
        await client.waitForValidStatus(challenge);
      }
      await client.getCertificate(await client.finalizeOrder(order, csr));
    },
    close: async () => {
      responder.close();
      responder.closeAllConnections();
      await once(responder, 'close').catch(() => undefined); // closed already
    },
  };
}
