import 'reflect-metadata';
import { createHash, randomUUID, webcrypto } from 'node:crypto';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

export interface KeyPairPem {
  readonly cert: string;
  readonly key: string;
}

/** Path at which an edge keeps a certificate on disk. */
export function storedCertificatePath(edgeFolder: string, id: string): string {
  const name = createHash('sha256').update(id).digest('hex');
  return join(edgeFolder, 'cache', 'certificates', name.slice(0, 2), name);
}

const algorithms = {
  ecdsa: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
} as const;

export type KeyKind = keyof typeof algorithms;

/** A self-signed certificate, which a client may trust by naming it as its authority. */
export async function makeCertificate(name: string, kind: KeyKind = 'ecdsa'): Promise<KeyPairPem> {
  const algorithm = algorithms[kind];
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const now = Date.now();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${name} ${randomUUID()}`, // authorities are looked up by their name

      notBefore: new Date(now - 3_600_000),
      notAfter: new Date(now + 3_600_000),
      signingAlgorithm: algorithm,
      keys,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
    },
    webcrypto as Parameters<typeof x509.X509CertificateGenerator.createSelfSigned>[1],
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  };
}
