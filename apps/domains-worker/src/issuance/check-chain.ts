import { X509Certificate } from 'node:crypto';

/** Clocks differ a little, and CAs date certificates back by more than this. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * What is wrong with the chain a CA returned, or null: it must be one that edges can serve for the name with the key
 * whose request was sent.
 */
export function findChainFault(chainPem: string, name: string, csrPem: string, now: Date): string | null {
  const blocks = chainPem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const chain = blocks.map((pem) => new X509Certificate(pem));
  const [leaf] = chain;
  if (leaf === undefined) return 'no certificate came';
  if (leaf.checkHost(name, { subject: 'never' }) === undefined) return `the certificate is not for ${name}`;
  if (!requestHasKeyOf(csrPem, leaf)) return 'the certificate is for another key';
  for (const [index, certificate] of chain.entries()) {
    const fault = findDateFault(certificate, now) ?? findIssuerFault(certificate, chain[index + 1]);
    if (fault !== null) return `certificate ${index + 1} of the chain ${fault}`;
  }
  return null;
}

/**
 * Node reads no certificate requests. DER is canonical, so the request holds the public key of the certificate byte for
 * byte, or it is a request for another key.
 */
function requestHasKeyOf(csrPem: string, certificate: X509Certificate): boolean {
  const request = Buffer.from(csrPem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  return request.includes(certificate.publicKey.export({ type: 'spki', format: 'der' }));
}

function findDateFault({ validFromDate, validToDate }: X509Certificate, now: Date): string | null {
  if (validFromDate.getTime() - CLOCK_TOLERANCE_MS > now.getTime()) return 'is not valid yet';
  return validToDate <= now ? 'has expired' : null;
}

function findIssuerFault(certificate: X509Certificate, issuer: X509Certificate | undefined): string | null {
  if (issuer === undefined) return null;
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey) ? null : 'is not signed by the next';
}
