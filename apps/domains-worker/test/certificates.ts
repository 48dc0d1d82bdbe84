import 'reflect-metadata';
import { createHash, generateKeyPairSync, webcrypto } from 'node:crypto';
import {
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface TestCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  /** SHA-256 of the DER, lower-case hex. */
  readonly sha256: string;
}

/** A certificate that signs itself, for names or addresses of this machine. */
export async function makeCertificate(...names: string[]): Promise<TestCertificate> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${names[0]}`,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value })),
      ),
    ],
  });
  return {
    certPem: certificate.toString('pem'),
    keyPem: toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
    sha256: createHash('sha256').update(Buffer.from(certificate.rawData)).digest('hex'),
  };
}

export async function makeCsr(name: string): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const extensions = [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])];
  const request = await Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: algorithm, extensions });
  return request.toString('pem');
}

export function makeAccountKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

function toPem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
