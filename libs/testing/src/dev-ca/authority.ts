import { randomBytes, webcrypto } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { x509 } from './x509.js';

const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const EC_P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const DAY_MS = 86_400_000;
const ROOT_DAYS = 3650;
const LEAF_SECONDS = 90 * 86_400;
/** Clocks differ a little between machines; a certificate must not be from the future anywhere. */
const BACKDATE_MS = 3_600_000;
/** … but what lives for seconds has to be new when it is made, or its life would lie behind it. */
const MAX_BACKDATED_PART = 0.05;
/** RFC 5280, upper bound of a common name. */
const MAX_COMMON_NAME = 64;

/** A key to certify: one of ours, or one from a certificate request. */
type SubjectKey = x509.PublicKey | webcrypto.CryptoKey;

export type CertificateAuthority = {
  /** The file that clients trust. */
  readonly rootCertificatePath: string;
  readonly rootCertificatePem: string;
  /** Signs a server certificate for exactly these names; answers leaf and intermediate as PEM. */
  issue(names: readonly string[], publicKey: SubjectKey, now: Date, options?: LeafOptions): Promise<string>;
};

type LeafOptions = {
  /** Until its end. The default is 90 days. */
  readonly validitySeconds?: number;
  /** Whether the first name that fits is the subject's common name as well. The default is yes. */
  readonly hasCommonName?: boolean;
};

type Signer = { certificate: x509.X509Certificate; privateKey: webcrypto.CryptoKey };

/**
 * Opens the development authority in a folder, and makes it there at the first time: a root that a developer may trust
 * once and for long, and an intermediate below it, so that servers must send a chain as they do with a real CA.
 */
export async function openAuthority(dataDir: string, now: Date = new Date()): Promise<CertificateAuthority> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const root = await openSigner(dataDir, 'root', () => makeRoot(now));
  const intermediate = await openSigner(dataDir, 'intermediate', () => makeIntermediate(root, now));
  return {
    rootCertificatePath: join(dataDir, 'root.pem'),
    rootCertificatePem: toPem(root.certificate),
    issue: async (names, publicKey, issuedAt, options) => {
      const leaf = await makeLeaf(intermediate, { names, publicKey, now: issuedAt, ...options });
      return toPem(leaf) + toPem(intermediate.certificate);
    },
  };
}

export type KeyAndChain = { readonly certificatePem: string; readonly privateKeyPem: string };

/** A certificate with a new key of its own, without ACME: what the platform's own domain is served with. */
export async function issuePlatformCertificate(
  authority: CertificateAuthority,
  names: readonly string[],
  now: Date = new Date(),
): Promise<KeyAndChain> {
  const keys = await webcrypto.subtle.generateKey(EC_P256, true, ['sign', 'verify']);
  return {
    certificatePem: await authority.issue(names, keys.publicKey, now),
    privateKeyPem: await exportKey(keys.privateKey),
  };
}

async function makeRoot(now: Date): Promise<Signer> {
  const keys = await webcrypto.subtle.generateKey(EC_P256, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(now, ROOT_DAYS * DAY_MS),
    serialNumber: serialNumber(),
    name: 'CN=Pets Development Root, O=Pets Development',
    keys,
    signingAlgorithm: SIGNING,
    extensions: [...authorityExtensions(1), await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)],
  });
  return { certificate, privateKey: keys.privateKey };
}

async function makeIntermediate(root: Signer, now: Date): Promise<Signer> {
  const keys = await webcrypto.subtle.generateKey(EC_P256, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(now, (ROOT_DAYS - 1) * DAY_MS),
    serialNumber: serialNumber(),
    subject: 'CN=Pets Development Intermediate, O=Pets Development',
    issuer: root.certificate.subject,
    publicKey: keys.publicKey,
    signingKey: root.privateKey,
    signingAlgorithm: SIGNING,
    extensions: [...authorityExtensions(0), ...(await keyIdentifiers(keys.publicKey, root))],
  });
  return { certificate, privateKey: keys.privateKey };
}

type Leaf = LeafOptions & { readonly names: readonly string[]; readonly publicKey: SubjectKey; readonly now: Date };

async function makeLeaf(
  issuer: Signer,
  { names, publicKey, now, validitySeconds = LEAF_SECONDS, hasCommonName = true }: Leaf,
) {
  const commonName = (hasCommonName ? names : []).find((name) => name.length <= MAX_COMMON_NAME);
  const alternativeNames = names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }));
  return x509.X509CertificateGenerator.create({
    ...validity(now, validitySeconds * 1_000),
    serialNumber: serialNumber(),
    subject: commonName === undefined ? '' : [{ CN: [commonName] }],
    issuer: issuer.certificate.subject,
    publicKey,
    signingKey: issuer.privateKey,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      // RFC 5280 §4.2.1.6: critical where the subject is empty.
      new x509.SubjectAlternativeNameExtension(alternativeNames, commonName === undefined),
      ...(await keyIdentifiers(publicKey, issuer)),
    ],
  });
}

function authorityExtensions(pathLength: number): x509.Extension[] {
  return [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
  ];
}

async function keyIdentifiers(publicKey: SubjectKey, issuer: Signer): Promise<x509.Extension[]> {
  return [
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey),
  ];
}

function validity(now: Date, lifeMs: number) {
  const backdateMs = Math.min(BACKDATE_MS, lifeMs * MAX_BACKDATED_PART);
  return { notBefore: new Date(now.getTime() - backdateMs), notAfter: new Date(now.getTime() + lifeMs) };
}

/** Random, positive and not zero (RFC 5280 §4.1.2.2). */
function serialNumber(): string {
  return `4${randomBytes(16).toString('hex').slice(1)}`;
}

/** The key is written first: a certificate in place means that both are there. */
async function openSigner(dataDir: string, name: string, make: () => Promise<Signer>): Promise<Signer> {
  const certificatePath = join(dataDir, `${name}.pem`);
  const keyPath = join(dataDir, `${name}.key`);
  if (existsSync(certificatePath)) {
    const certificate = new x509.X509Certificate(await readFile(certificatePath, 'utf8'));
    const [der] = x509.PemConverter.decode(await readFile(keyPath, 'utf8'));
    if (!der) throw new Error(`${keyPath} holds no key: delete ${dataDir} to make a new development CA`);
    return { certificate, privateKey: await webcrypto.subtle.importKey('pkcs8', der, EC_P256, false, ['sign']) };
  }
  const made = await make();
  await writeWhole(keyPath, await exportKey(made.privateKey), 0o600);
  await writeWhole(certificatePath, toPem(made.certificate), 0o644);
  return made;
}

async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, text, { mode });
  await rename(draft, path);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function toPem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}
