import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509Certificate as ParsedCertificate,
} from '@peculiar/x509';
import { certificateIdentifier } from '@pets/domains';

export interface KeyAndCsr {
  /** PKCS #8, PEM. It leaves this process only sealed. */
  readonly keyPem: string;
  /** PKCS #10, PEM, with the name as its only subject alternative name. */
  readonly csrPem: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A new ECDSA P-256 key, and a certificate signing request for it. */
export async function createKeyAndCsr(name: string): Promise<KeyAndCsr> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const csr = await Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const keyPem = `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END PRIVATE KEY-----\n`;
  return { keyPem, csrPem: csr.toString('pem') };
}

/** The fields of a leaf certificate that are stored besides its text. */
export interface LeafFacts {
  /** SHA-256 of the DER, lower-case hex. */
  readonly leafSha256: string;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** RFC 9773 §4.1; null for a leaf without an authority key identifier. */
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
 * Whether the first certificate of a chain is for the key of a signing request. Node cannot read requests. DER is canonical,
 * so a request for this key contains the public key of the certificate byte for byte.
 * @throws Error when the chain contains no certificate
 */
export function hasKeyOfRequest(chainPem: string, csrPem: string): boolean {
  const request = Buffer.from(csrPem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  return request.includes(new X509Certificate(chainPem).publicKey.export({ type: 'spki', format: 'der' }));
}

/** Node does not expose the extension. */
function identifierOf(leaf: X509Certificate): string | null {
  const keyIdentifier = new ParsedCertificate(leaf.raw).getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  return keyIdentifier === undefined ? null : certificateIdentifier(keyIdentifier, leaf.serialNumber);
}
