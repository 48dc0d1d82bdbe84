/** The one way to the certificate library here: it refuses to load before the reflection polyfill. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { Problem } from './problem.js';

export { x509 };

/**
 * Reads a certificate request and checks that its sender holds its key, and that it is for exactly the names of
 * the order (RFC 8555 §7.4).
 * @returns the public key to certify
 */
export async function readCsr(der: Buffer, names: readonly string[]): Promise<x509.PublicKey> {
  const request = parse(der);
  if (!(await request.verify())) throw new Problem('badCSR', 'the signature of the CSR does not verify');
  const wanted = [...names].sort().join(' ');
  const asked = [...new Set(namesOf(request))].sort().join(' ');
  if (asked !== wanted) throw new Problem('badCSR', `the CSR names ${asked || 'nothing'}, the order ${wanted}`);
  return request.publicKey;
}

function parse(der: Buffer): x509.Pkcs10CertificateRequest {
  try {
    return new x509.Pkcs10CertificateRequest(der);
  } catch {
    throw new Problem('badCSR', 'the CSR cannot be read');
  }
}

function namesOf(request: x509.Pkcs10CertificateRequest): string[] {
  const alternative = request.extensions
    .filter((extension) => extension instanceof x509.SubjectAlternativeNameExtension)
    .flatMap((extension) => extension.names.items);
  const stranger = alternative.find((name) => name.type !== 'dns');
  if (stranger) throw new Problem('badCSR', `the CSR holds a name of type ${stranger.type}`);
  const names = [...request.subjectName.getField('CN'), ...alternative.map((name) => name.value)];
  return names.map((name) => name.toLowerCase());
}
