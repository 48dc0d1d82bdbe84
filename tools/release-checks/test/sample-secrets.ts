import 'reflect-metadata';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { X509CertificateGenerator } from '@peculiar/x509';
import type { SecretFile } from './chart/workloads.js';

/** Values as docs/operations/kubernetes.md says they are made, by secret and key. */
async function sampleSecrets(): Promise<Readonly<Record<string, string>>> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=*.pets.example.com',
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    notAfter: new Date(Date.now() + 86_400_000),
  });
  const platformKey = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    'database/url': 'postgres://pets:secret@postgres.example.com:5432/pets',
    'database/session-url': 'postgres://pets:secret@postgres.example.com:5432/pets',
    'queue/url': 'rediss://:secret@redis.example.com:6379',
    'queue-keys/jobs': `j1:${randomBytes(32).toString('base64')}`,
    'queue-keys/events': `e1:${randomBytes(32).toString('base64')}`,
    'application/secret': randomBytes(32).toString('base64'),
    'edge-access/certificate-keks': `k1:${randomBytes(32).toString('base64')}`,
    'edge-access/token': randomBytes(32).toString('hex'),
    'acme/account-key': accountKey(),
    'challenge-dns/tsig-key': `pets-acme:${randomBytes(32).toString('base64')}`,
    'platform-certificate/tls.crt': certificate.toString('pem'),
    'platform-certificate/tls.key': `-----BEGIN PRIVATE KEY-----\n${platformKey}\n-----END PRIVATE KEY-----\n`,
    'storage-writer/credentials': '[default]\n',
    'storage-reader/credentials': '[default]\n',
  };
}

function accountKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The secrets of a pod, in a folder that stands for its root. */
export interface MountedSecrets {
  /** The path on this machine of a path in the pod, where a secret is mounted there. */
  locate(path: string): string | undefined;
  unmount(): Promise<void>;
}

export async function mountSecrets(files: readonly SecretFile[]): Promise<MountedSecrets> {
  const [root, samples] = await Promise.all([mkdtemp(join(tmpdir(), 'pets-secrets-')), sampleSecrets()]);
  for (const { path, secret, key } of files) {
    const sample = samples[`${secret}/${key}`];
    if (sample === undefined) throw new Error(`no secret ${secret} with a key ${key} is documented`);
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), sample);
  }
  return {
    locate: (path) => (files.some((file) => file.path === path) ? join(root, path) : undefined),
    unmount: () => rm(root, { recursive: true }),
  };
}
