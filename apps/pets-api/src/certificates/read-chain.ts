import { X509Certificate } from 'node:crypto';

/** What is kept of a leaf certificate besides its text. */
export interface LeafFacts {
  /** SHA-256 of the DER, lower-case hex. */
  readonly leafSha256: string;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Reads the first certificate of a PEM chain. @throws Error when there is none */
export function readLeaf(chainPem: string): LeafFacts {
  const leaf = new X509Certificate(chainPem);
  return {
    leafSha256: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
    issuer: /^CN=(.*)$/m.exec(leaf.issuer)?.[1] ?? leaf.issuer.replaceAll('\n', ', '),
    notBefore: leaf.validFromDate,
    notAfter: leaf.validToDate,
  };
}
