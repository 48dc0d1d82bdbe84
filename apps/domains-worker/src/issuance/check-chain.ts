import { X509Certificate } from 'node:crypto';

/** For differences between clocks; CAs backdate certificates by more than this. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** Real chains have two or three certificates. */
const MAX_CERTIFICATES = 10;
/** id-kp-serverAuth (RFC 5280 §4.2.1.12). */
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';

/**
 * The fault of the chain that a CA returned, or null: edges must be able to serve it for the name with the key of the CSR.
 * The leaf comes first, and each certificate certifies the one before it (RFC 8555 §9.1). Whether browsers trust its root is
 * not checked.
 */
export function validateChain(chainPem: string, name: string, csrPem: string, now: Date): string | null {
  const blocks = chainPem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length > MAX_CERTIFICATES) return `it has ${blocks.length} certificates`;
  const chain: X509Certificate[] = [];
  for (const pem of blocks) {
    const certificate = parseCertificate(pem);
    if (certificate === null) return `certificate ${chain.length + 1} of the chain cannot be parsed`;
    chain.push(certificate);
  }
  const [leaf] = chain;
  return leaf === undefined
    ? 'it has no certificate'
    : (findLeafFault(leaf, name, csrPem) ?? findLinkFault(chain, now));
}

function findLeafFault(leaf: X509Certificate, name: string, csrPem: string): string | null {
  if (leaf.ca) return 'its first certificate is a CA certificate';
  // Exactly the name: another name or a wildcard is more than was proven.
  if (leaf.subjectAltName !== `DNS:${name}`)
    return `the certificate is not for ${name} alone but for ${leaf.subjectAltName ?? 'no name'}`;
  if (!requestHasKeyOf(csrPem, leaf)) return 'the certificate is for another key';
  // `keyUsage` is Node's name of the extended key usage.
  return leaf.keyUsage?.includes(SERVER_AUTHENTICATION) ? null : 'the certificate is not for TLS servers';
}

function findLinkFault(chain: readonly X509Certificate[], now: Date): string | null {
  for (const [index, certificate] of chain.entries()) {
    const fault = findDateFault(certificate, now) ?? findIssuerFault(certificate, chain[index + 1]);
    if (fault !== null) return `certificate ${index + 1} of the chain ${fault}`;
  }
  return null;
}

function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

/**
 * Node does not parse certificate requests. DER is canonical, so a request for the key contains the public key of the
 * certificate byte for byte.
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
  if (!issuer.ca) return 'is followed by a certificate that is not a CA';
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey) ? null : 'is not signed by the next';
}
