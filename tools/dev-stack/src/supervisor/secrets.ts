import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issuePlatformCertificate, openAuthority, type CertificateAuthority } from '@pets/testing/dev-ca';
import type { Settings } from './settings.js';

/** Names of the secrets; each is handed over under its name, or as a file under `<name>_FILE`. */
const files = {
  APP_SECRET: 'app-secret',
  CERTIFICATE_KEKS: 'certificate-keks',
  ACME_ACCOUNT_KEY: 'acme-account-key.pem',
  EDGE_TOKEN: 'edge-token',
  QUEUE_KEYS_JOBS: 'queue-keys-jobs',
  QUEUE_KEYS_EVENTS: 'queue-keys-events',
  ACME_DNS_TSIG_KEY: 'acme-dns-tsig-key',
  PLATFORM_CERTIFICATE: 'platform-certificate.pem',
  PLATFORM_KEY: 'platform-key.pem',
} as const;

type SecretName = keyof typeof files;

export type Secrets = {
  readonly folder: string;
  readonly caCertificatePath: string;
  /** The environment entry through which a service gets a secret. */
  envOf(name: SecretName): Record<string, string>;
};

/** A start within this time of its end replaces the platform's certificate. */
const RENEW_BEFORE_MS = 30 * 86_400_000;

/** Makes the secrets that are missing, once and for the owner's eyes alone. Those given by a setting are not stored. */
export async function openSecrets(settings: Settings, now: Date = new Date()): Promise<Secrets> {
  const folder = join(settings.DATA_DIR, 'secrets');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((settings.PLATFORM_CERTIFICATE === undefined) !== (settings.PLATFORM_KEY === undefined)) {
    throw new Error('PLATFORM_CERTIFICATE and PLATFORM_KEY go together: set both or none');
  }
  await keep(folder, 'APP_SECRET', () => randomBytes(32).toString('base64url'));
  await keep(folder, 'CERTIFICATE_KEKS', () => `dev1:${randomBytes(32).toString('base64')}`);
  await keep(folder, 'EDGE_TOKEN', () => randomBytes(32).toString('base64url'));
  await keep(folder, 'QUEUE_KEYS_JOBS', () => `dev1:${randomBytes(32).toString('base64')}`);
  await keep(folder, 'QUEUE_KEYS_EVENTS', () => `dev1:${randomBytes(32).toString('base64')}`);
  await keep(folder, 'ACME_DNS_TSIG_KEY', () => `pets-acme:${randomBytes(32).toString('base64')}`);
  await keep(folder, 'ACME_ACCOUNT_KEY', makeAccountKey);
  const authority = await openAuthority(join(settings.DATA_DIR, 'dev-ca'), now);
  await keepPlatformCertificate(folder, settings.PLATFORM_DOMAIN, authority, now);
  return {
    folder,
    caCertificatePath: authority.rootCertificatePath,
    envOf: (name) => {
      const given = settings[name];
      return given === undefined ? { [`${name}_FILE`]: join(folder, files[name]) } : { [name]: given };
    },
  };
}

async function keep(folder: string, name: SecretName, make: () => string): Promise<void> {
  const path = join(folder, files[name]);
  if (!existsSync(path)) await writeSecret(path, make());
}

function makeAccountKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string; // a PEM export is text
}

/** From the local development root even where another CA issues for custom domains: nobody else would sign this name. */
async function keepPlatformCertificate(folder: string, domain: string, authority: CertificateAuthority, now: Date) {
  const certificatePath = join(folder, files.PLATFORM_CERTIFICATE);
  const keyPath = join(folder, files.PLATFORM_KEY);
  if (await isStillGood({ certificatePath, keyPath, domain, authority, now })) return;
  const made = await issuePlatformCertificate(authority, [`*.${domain}`, domain], now);
  await writeSecret(keyPath, made.privateKeyPem);
  await writeSecret(certificatePath, made.certificatePem);
}

async function isStillGood(found: {
  certificatePath: string;
  keyPath: string;
  domain: string;
  authority: CertificateAuthority;
  now: Date;
}): Promise<boolean> {
  if (!existsSync(found.certificatePath) || !existsSync(found.keyPath)) return false;
  const [leafPem = '', intermediatePem = ''] = (await readFile(found.certificatePath, 'utf8')).split(
    /(?<=-----END CERTIFICATE-----\n)/,
  );
  const leaf = new X509Certificate(leafPem);
  return (
    leaf.checkHost(found.domain) !== undefined &&
    leaf.checkPrivateKey(createPrivateKey(await readFile(found.keyPath, 'utf8'))) &&
    leaf.validToDate.getTime() - RENEW_BEFORE_MS > found.now.getTime() &&
    new X509Certificate(intermediatePem).verify(new X509Certificate(found.authority.rootCertificatePem).publicKey)
  );
}

/** Whole or not at all, and never readable by others, not even for a moment. */
export async function writeSecret(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, text.endsWith('\n') ? text : `${text}\n`, { mode: 0o600 });
  await rename(draft, path);
}
