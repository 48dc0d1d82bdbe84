import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { AuthorityKeyIdentifierExtension, X509Certificate as ParsedCertificate } from '@peculiar/x509';
import { certificateIdentifier } from '@pets/domains';

/** What is kept of a leaf certificate besides its text. */
export interface LeafFacts {
  /** SHA-256 of the DER, lower-case hex. */
  readonly leafSha256: string;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** RFC 9773 §4.1; null where the leaf has no authority key identifier. */
  readonly identifier: string | null;
}

/** Reads the first certificate of a PEM chain. @throws Error when there is none */
export function readLeaf(chainPem: string): LeafFacts {
  const leaf = new X509Certificate(chainPem);
  return {
    leafSha256: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
    issuer: /^CN=(.*)$/m.exec(leaf.issuer)?.[1] ?? leaf.issuer.replaceAll('\n', ', '),
    notBefore: leaf.validFromDate,
    notAfter: leaf.validToDate,
    identifier: identifierOf(leaf),
  };
}

/**
 * Whether the first certificate of a chain is for the key that signed a request. Node reads no requests; DER is
 * canonical, so the request holds the certificate's public key byte for byte, or it is a request for another key.
 * @throws Error when the chain holds no certificate
 */
export function hasKeyOfRequest(chainPem: string, csrPem: string): boolean {
  const request = Buffer.from(csrPem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  return request.includes(new X509Certificate(chainPem).publicKey.export({ type: 'spki', format: 'der' }));
}

/** Node does not tell the extension. */
function identifierOf(leaf: X509Certificate): string | null {
  const keyIdentifier = new ParsedCertificate(leaf.raw).getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  return keyIdentifier === undefined ? null : certificateIdentifier(keyIdentifier, leaf.serialNumber);
}
