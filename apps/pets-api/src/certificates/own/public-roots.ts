import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/** Finds the root that signed a certificate. */
export interface TrustedRoots {
  /** Whether the certificate is a root, or signed by one that is valid at that time. */
  certify(certificate: X509Certificate, now: Date): boolean;
}

/** Roots in PEM, parsed at their first use. By default those that Node has from Mozilla, which browsers share. */
export function createTrustedRoots(pems: readonly string[] = rootCertificates): TrustedRoots {
  let roots: ReadonlyMap<string, readonly X509Certificate[]> | undefined;
  return {
    certify: (certificate, now) => {
      roots ??= Map.groupBy(
        pems.map((pem) => new X509Certificate(pem)),
        ({ subject }) => subject,
      );
      const signsIt = (root: X509Certificate) =>
        root.raw.equals(certificate.raw) ||
        (root.validToDate > now && certificate.checkIssued(root) && certificate.verify(root.publicKey));
      const candidates = [...(roots.get(certificate.issuer) ?? []), ...(roots.get(certificate.subject) ?? [])];
      return candidates.some(signsIt);
    },
  };
}
