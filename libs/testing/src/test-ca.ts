import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto, X509Certificate as NodeCertificate } from 'node:crypto';
import {
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  X509CrlGenerator,
} from '@peculiar/x509';

/** How a key is made and signs, as WebCrypto has it. */
type TestKeyType =
  | { readonly name: 'ECDSA'; readonly namedCurve: string; readonly hash: string }
  | {
      readonly name: 'RSASSA-PKCS1-v1_5';
      readonly modulusLength: number;
      readonly publicExponent: Uint8Array;
      readonly hash: string;
    }
  | { readonly name: 'Ed25519' };

export const testKeys = {
  p256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  p384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  p521: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  rsa: (bits: number, hash = 'SHA-256') =>
    ({ name: 'RSASSA-PKCS1-v1_5', modulusLength: bits, publicExponent: new Uint8Array([1, 0, 1]), hash }) as const,
  ed25519: { name: 'Ed25519' },
} as const;

export interface TestLeafOptions {
  readonly names: readonly string[];
  readonly commonName?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly key?: TestKeyType;
  /** Addresses of the revocation list of the CA. */
  readonly crlUrls?: readonly string[];
  readonly mustStaple?: boolean;
  /** Default: for TLS servers. */
  readonly purposes?: readonly string[];
  readonly isCa?: boolean;
}

export interface TestLeaf {
  readonly certPem: string;
  /** The leaf, and the certificates of the CAs up to the root, which is not in it. */
  readonly chainPem: string;
  /** PKCS #8. */
  readonly keyPem: string;
  /** Lower-case hex. */
  readonly serialNumber: string;
  /** SHA-256 of the DER, lower-case hex. */
  readonly sha256: string;
}

/** A CA of a test: what it signs is right except for what the test asks for. */
export interface TestCa {
  readonly certPem: string;
  /** The certificates between a leaf and the root. */
  readonly intermediatePems: string;
  issue(options: TestLeafOptions): Promise<TestLeaf>;
  /** A CA below this one. */
  issueCa(commonName: string, options?: TestCaOptions): Promise<TestCa>;
  /** Returns the revocation list, DER. */
  revocationList(options?: TestListOptions): Promise<Buffer>;
}

interface TestCaOptions {
  readonly key?: TestKeyType;
  readonly pathLength?: number;
  readonly notAfter?: Date;
  readonly isCa?: boolean;
  /** The hash of what the CA signs. */
  readonly signingHash?: string;
}

interface TestListOptions {
  readonly revoked?: readonly string[];
  readonly thisUpdate?: Date;
  readonly nextUpdate?: Date;
}

const DAY_MS = 86_400_000;

interface Signer {
  readonly subject: string;
  readonly keys: CryptoKeyPair;
  readonly key: TestKeyType;
  readonly signingHash: string | undefined;
}
type CryptoKeyPair = webcrypto.CryptoKeyPair;

/** A root that signs itself. */
export async function createTestCa(commonName = 'Test Root', options: TestCaOptions = {}): Promise<TestCa> {
  return createCa(commonName, options, null, '');
}

async function createCa(
  commonName: string,
  { key = testKeys.p256, pathLength, notAfter, isCa = true, signingHash }: TestCaOptions,
  issuer: Signer | null,
  intermediatesAbove: string,
): Promise<TestCa> {
  const keys = await generateKeys(key);
  const signer: Signer = { subject: `CN=${commonName}`, keys, key, signingHash };
  const by = issuer ?? signer;
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: signer.subject,
    issuer: by.subject,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: notAfter ?? new Date(Date.now() + 3_650 * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: by.keys.privateKey,
    signingAlgorithm: signingAlgorithmOf(by),
    extensions: [
      new BasicConstraintsExtension(isCa, pathLength, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const certPem = `${certificate.toString('pem')}\n`;
  const intermediatePems = issuer === null ? '' : certPem + intermediatesAbove;
  return {
    certPem,
    intermediatePems,
    issue: (options) => issueLeaf(options, signer, intermediatePems),
    issueCa: (name, options = {}) => createCa(name, options, signer, intermediatePems),
    revocationList: async ({ revoked = [], thisUpdate, nextUpdate } = {}) => {
      const list = await X509CrlGenerator.create({
        issuer: signer.subject,
        thisUpdate: thisUpdate ?? new Date(Date.now() - 3_600_000),
        nextUpdate: nextUpdate ?? new Date(Date.now() + 7 * DAY_MS),
        entries: revoked.map((serialNumber) => ({ serialNumber, revocationDate: new Date(Date.now() - 60_000) })),
        signingKey: keys.privateKey,
        signingAlgorithm: signingAlgorithmOf(signer),
      });
      return Buffer.from(list.rawData);
    },
  };
}

async function issueLeaf(options: TestLeafOptions, signer: Signer, intermediates: string): Promise<TestLeaf> {
  const { names, commonName = 'Test', notBefore, notAfter, key = testKeys.p256, crlUrls = [] } = options;
  const keys = await generateKeys(key);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${commonName}`,
    issuer: signer.subject,
    notBefore: notBefore ?? new Date(Date.now() - DAY_MS),
    notAfter: notAfter ?? new Date(Date.now() + 90 * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: signer.keys.privateKey,
    signingAlgorithm: signingAlgorithmOf(signer),
    extensions: [
      ...(names.length === 0
        ? []
        : [new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))]),
      new BasicConstraintsExtension(options.isCa ?? false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([...(options.purposes ?? [ExtendedKeyUsage.serverAuth])]),
      ...(crlUrls.length === 0 ? [] : [new CRLDistributionPointsExtension([...crlUrls])]),
      // RFC 7633: the list of TLS extensions [status_request].
      ...(options.mustStaple === true
        ? [new Extension('1.3.6.1.5.5.7.1.24', false, new Uint8Array([0x30, 3, 2, 1, 5]))]
        : []),
    ],
  });
  const certPem = `${certificate.toString('pem')}\n`;
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const read = new NodeCertificate(certPem);
  return {
    certPem,
    chainPem: certPem + intermediates,
    keyPem: String(
      createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ type: 'pkcs8', format: 'pem' }),
    ),
    serialNumber: read.serialNumber.toLowerCase(),
    sha256: read.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

async function generateKeys(key: TestKeyType): Promise<CryptoKeyPair> {
  const pair = await webcrypto.subtle.generateKey(key as webcrypto.EcKeyGenParams, true, ['sign', 'verify']);
  return pair;
}

function signingAlgorithmOf({ key, signingHash }: Signer) {
  return { ...key, ...(signingHash !== undefined && { hash: signingHash }) };
}

function serial(): string {
  return `01${randomBytes(15).toString('hex')}`;
}
