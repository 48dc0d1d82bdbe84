import { createPublicKey, sign, verify, type KeyObject, type X509Certificate } from 'node:crypto';
import { refuse, type CertificateRefusal } from './read-pem.js';

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
 * What is wrong with a public or private key; null if browsers accept it. Reads sizes first, so that nothing is computed with a
 * huge key.
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
export function findPairFault(leaf: X509Certificate, key: KeyObject): CertificateRefusal | null {
  const mismatch = refuse('certificate_key_mismatch', 'is not the key of the certificate.', 'privateKey');
  if (key.asymmetricKeyType !== leaf.publicKey.asymmetricKeyType || !leaf.checkPrivateKey(key)) return mismatch;
  try {
    const text = leaf.raw.subarray(0, 32);
    return verify('sha256', text, leaf.publicKey, sign('sha256', text, key)) ? null : mismatch;
  } catch {
    return mismatch;
  }
}
