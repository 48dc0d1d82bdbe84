/**
 * The checks of an uploaded certificate: reads it and checks its keys; the rules for names, dates and links are in
 * `@pets/domains`. No I/O, and the time and the trusted roots are parameters.
 */
import { createPublicKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import {
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate as ParsedCertificate,
} from '@peculiar/x509';
import { type CertificateTrust, MAX_CRL_URLS } from '@pets/contracts';
import { type ChainLink, findChainFault, findLeafFault } from '@pets/domains';
import 'reflect-metadata';
import {
  type CertificateRefusal,
  type ChainCertificate,
  isRefusal,
  readChain,
  readPrivateKey,
  refuse,
} from './read-pem.js';

/** RFC 7633 §4. */
const TLS_FEATURE = '1.3.6.1.5.5.7.1.24';

/** An upload, as the owner sends it. */
export interface CertificateUpload {
  readonly certificate: string;
  readonly privateKey: string;
  readonly trust: CertificateTrust;
}

/** An accepted certificate. */
export interface AcceptedCertificate {
  /** The leaf first, without a root, written from what was parsed. */
  readonly chainPem: string;
  /** PKCS #8, PEM. It leaves this process only sealed. */
  readonly keyPem: string;
  readonly leafSha256: string;
  readonly serialNumber: string;
  readonly issuer: string;
  readonly names: readonly string[];
  readonly notBefore: Date;
  /** The earliest end of a certificate of the chain. */
  readonly notAfter: Date;
  /** URLs of its revocation list, and the certificate of the CA that signs it, in PEM. Empty and null without either. */
  readonly crlUrls: readonly string[];
  readonly crlIssuerPem: string | null;
}

interface Conditions {
  /** Name of the domain, in ASCII form. */
  readonly name: string;
  readonly now: Date;
  readonly roots: TrustedRoots;
}

/** @returns the first fault instead, with its field */
export function checkCertificate(
  { certificate, privateKey, trust }: CertificateUpload,
  { name, now, roots }: Conditions,
): AcceptedCertificate | CertificateRefusal {
  const chain = readChain(certificate);
  if (isRefusal(chain)) return chain;
  const key = readPrivateKey(privateKey);
  if (isRefusal(key)) return key;
  const [leaf] = chain;
  if (leaf === undefined) throw new Error('a chain without a certificate');
  const weakness = findWeakKey(chain, key);
  if (weakness !== null) return weakness;
  const last = chain.at(-1)?.certificate ?? leaf.certificate;
  const links = chain.map(linkOf);
  const conditions = {
    now,
    get isTrusted() {
      return trust === 'private' || roots.certify(last, now);
    },
  };
  return (
    refusalFor(findLeafFault(links, name)) ??
    findPairFault(leaf.certificate, key) ??
    refusalFor(findChainFault(links, conditions)) ??
    accepted(chain, leaf, key)
  );
}

function refusalFor(fault: ReturnType<typeof findLeafFault>): CertificateRefusal | null {
  return fault === null ? null : refuse(fault.code, fault.message);
}

/** Sizes first: no signature is computed or verified with a key that was not accepted. */
function findWeakKey(chain: readonly ChainCertificate[], key: KeyObject): CertificateRefusal | null {
  const ofKey = findKeyFault(key, true);
  if (ofKey !== null) return refuse('invalid_private_key', `is ${ofKey}.`, 'privateKey');
  for (const [index, { certificate }] of chain.entries()) {
    const fault = findKeyFault(certificate.publicKey, index === 0);
    if (fault !== null) return refuse('invalid_certificate', `certificate ${index + 1} has ${fault}.`);
  }
  return null;
}

/** Reads what the rules of `findChainFault` need. They ask for signatures last, which are computed only then. */
function linkOf(
  { certificate, parsed }: ChainCertificate,
  index: number,
  chain: readonly ChainCertificate[],
): ChainLink {
  const issuer = chain[index + 1]?.certificate;
  const { hash, name } = parsed.signatureAlgorithm as { name: string; hash?: { name?: string } }; // as the parser declares
  const constraints = parsed.getExtension(BasicConstraintsExtension);
  const usages = parsed.getExtension(KeyUsagesExtension)?.usages;
  const allowsUsage = (flag: KeyUsageFlags) => usages === undefined || (usages & flag) !== 0;
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    isSelfIssued: isSelfIssued(certificate),
    names: dnsNamesOf(parsed),
    signatureHash: hash?.name ?? name,
    get isSignedByNext() {
      return issuer !== undefined && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
    },
    isCa: certificate.ca || constraints?.ca === true,
    maxBelow: constraints?.pathLength ?? null,
    allows: {
      certificates: allowsUsage(KeyUsageFlags.keyCertSign),
      signatures: allowsUsage(KeyUsageFlags.digitalSignature),
      servers: parsed.getExtension(ExtendedKeyUsageExtension)?.usages.includes(ExtendedKeyUsage.serverAuth) ?? false,
    },
    requiresStapling: parsed.getExtension(TLS_FEATURE) !== null,
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
  };
}

function accepted(chain: readonly ChainCertificate[], leaf: ChainCertificate, key: KeyObject): AcceptedCertificate {
  const { certificate } = leaf;
  const [, issuer] = chain;
  // Clients have the root, and do not want it.
  const sent = chain.filter((link, index) => index === 0 || !isSelfIssued(link.certificate));
  const ends = sent.map((link) => link.certificate.validToDate.getTime());
  return {
    chainPem: sent.map((link) => link.certificate.toString()).join(''),
    keyPem: String(key.export({ type: 'pkcs8', format: 'pem' })),
    leafSha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    serialNumber: certificate.serialNumber.toLowerCase(),
    issuer: nameOf(certificate.issuer),
    names: dnsNamesOf(leaf.parsed),
    notBefore: certificate.validFromDate,
    notAfter: new Date(Math.min(...ends)),
    // Without the certificate of the CA, the signature of its list cannot be checked.
    crlUrls: issuer === undefined ? [] : distributionUrls(leaf.parsed).slice(0, MAX_CRL_URLS),
    crlIssuerPem: issuer?.certificate.toString() ?? null,
  };
}

/** Longer URLs are no addresses of lists. */
const MAX_URL = 500;

/** The subject alternative names that are DNS names. The common name of the subject does not count (RFC 9525). */
function dnsNamesOf(parsed: ParsedCertificate): readonly string[] {
  const names = parsed.getExtension(SubjectAlternativeNameExtension)?.names.items ?? [];
  return names.filter(({ type }) => type === 'dns').map(({ value }) => value.toLowerCase());
}

/** The addresses of complete revocation lists that the CA itself signs, over HTTP (RFC 5280 §4.2.1.13). */
function distributionUrls(parsed: ParsedCertificate): readonly string[] {
  const points = parsed.getExtension(CRLDistributionPointsExtension)?.distributionPoints ?? [];
  return points
    .filter(({ reasons, cRLIssuer }) => reasons === undefined && cRLIssuer === undefined)
    .flatMap(({ distributionPoint }) => distributionPoint?.fullName ?? [])
    .flatMap(({ uniformResourceIdentifier: url }) => (url === undefined || !isHttpUrl(url) ? [] : [url]));
}

/** Lists have signatures of their own, and their addresses are plain HTTP, so that reading one needs no other list. */
function isHttpUrl(url: string): boolean {
  return url.length <= MAX_URL && URL.canParse(url) && new URL(url).protocol === 'http:';
}

/** A root, or another certificate that names itself as its issuer. */
function isSelfIssued({ subject, issuer }: X509Certificate): boolean {
  return subject === issuer;
}

/** The common name of a subject or issuer, or all of it. */
function nameOf(distinguishedName: string): string {
  const name = /^CN=(.*)$/m.exec(distinguishedName)?.[1] ?? distinguishedName.replaceAll('\n', ', ');
  return name.slice(0, 200);
}

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

/** Browsers accept no less; a signature with more takes an edge many milliseconds for each handshake. */
const LEAF_RSA_BITS = { min: 2_048, max: 4_096 };
const CA_RSA_BITS = { min: 2_048, max: 8_192 };

/** Exponents of real keys have 17 bits. A verification with a long one is slow. */
const MAX_EXPONENT = 2n ** 32n;

/** Chromium accepts no other curve of a server, and no EdDSA. */
const leafCurves: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1']);
const caCurves: ReadonlySet<string | undefined> = new Set([...leafCurves, 'secp521r1']);

/** id-ecPublicKey (RFC 5480 §2.1.1) in DER; the tag of its parameters follows. */
const EC_PUBLIC_KEY = Buffer.from('06072a8648ce3d0201', 'hex');
const OBJECT_IDENTIFIER = 0x06;

/**
 * Returns the fault of a public or private key; null if browsers accept it. Reads sizes first, so that nothing is computed
 * with a huge key.
 */
export function findKeyFault(key: KeyObject, isLeaf: boolean): string | null {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  if (type === 'rsa') {
    const { min, max } = isLeaf ? LEAF_RSA_BITS : CA_RSA_BITS;
    const { modulusLength: bits = 0, publicExponent = 0n } = details;
    if (bits < min || bits > max) return `an RSA key of ${bits} bits; from ${min} to ${max} are accepted`;
    return publicExponent < 3n || publicExponent > MAX_EXPONENT ? 'an RSA key with an unusual public exponent' : null;
  }
  if (type === 'ec') {
    const { namedCurve } = details;
    const isKnown = (isLeaf ? leafCurves : caCurves).has(namedCurve);
    if (isKnown && namesCurve(key)) return null;
    if (isKnown) return 'an ECDSA key that spells out its curve, which browsers do not accept; name the curve instead';
    return `an ECDSA key on the curve ${namedCurve ?? 'of unnamed parameters'}, which browsers do not accept; use P-256 or P-384`;
  }
  return `a key of the type ${type ?? 'unknown'}, which browsers do not accept; use RSA, or ECDSA with P-256 or P-384`;
}

/** Whether an EC key names its curve, as RFC 5480 §2.1.1 requires. OpenSSL recognizes a curve by its parameters as well. */
function namesCurve(key: KeyObject): boolean {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const encoded = publicKey.export({ type: 'spki', format: 'der' });
  return encoded[encoded.indexOf(EC_PUBLIC_KEY) + EC_PUBLIC_KEY.length] === OBJECT_IDENTIFIER;
}

/**
 * Whether a private key is that of a certificate, by a signature: the public part of a damaged key may be right although its
 * signatures are wrong, and then every handshake would fail.
 */
function findPairFault(leaf: X509Certificate, key: KeyObject): CertificateRefusal | null {
  const mismatch = refuse('certificate_key_mismatch', 'is not the key of the certificate.', 'privateKey');
  if (key.asymmetricKeyType !== leaf.publicKey.asymmetricKeyType || !leaf.checkPrivateKey(key)) return mismatch;
  try {
    const text = leaf.raw.subarray(0, 32);
    return verify('sha256', text, leaf.publicKey, sign('sha256', text, key)) ? null : mismatch;
  } catch {
    return mismatch;
  }
}
