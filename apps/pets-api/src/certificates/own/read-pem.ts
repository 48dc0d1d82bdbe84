import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { X509Certificate as ParsedCertificate } from '@peculiar/x509';
import type { ErrorCode } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/** Reason why an uploaded certificate is not accepted. */
export interface CertificateRefusal {
  readonly code: ErrorCode;
  readonly field: 'certificate' | 'privateKey';
  readonly message: string;
}

export function refuse(
  code: ErrorCode,
  message: string,
  field: CertificateRefusal['field'] = 'certificate',
): CertificateRefusal {
  return { code, field, message };
}

export function isRefusal(value: object): value is CertificateRefusal {
  return 'code' in value && 'field' in value;
}

export function errorOf({ code, field, message }: CertificateRefusal): RequestError {
  return RequestError.ofField(code, field, message);
}

/** Real chains have two to four certificates. */
const MAX_CERTIFICATES = 8;
/** Limit of a chain, as PEM. Real certificates have 3 KB; one of 250 names has 15. Tiny elements of DER take long to parse. */
const MAX_CHAIN_BYTES = 65_536;

/** A certificate of an uploaded chain, as both parsers have it: Node verifies signatures, the other reads extensions. */
export interface ChainCertificate {
  readonly certificate: X509Certificate;
  readonly parsed: ParsedCertificate;
}

/** Blocks of PEM (RFC 7468); text between them, which tools write, does not count. */
const blockPattern = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END ([A-Z0-9 ]{1,40})-----/g;

interface Block {
  readonly label: string;
  readonly pem: string;
}

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(blockPattern)].flatMap(([pem, label = '', , end]) =>
    label === end ? [{ label, pem }] : [],
  );
}

/** The certificates of a PEM text in their order. @returns the first fault instead */
export function readChain(text: string): readonly ChainCertificate[] | CertificateRefusal {
  const blocks = blocksOf(text);
  // It would be stored with the chain, which is not encrypted.
  if (/PRIVATE KEY-----/.test(text))
    return refuse('invalid_certificate', 'contains a private key. Send the key as privateKey only.');
  const certificates = blocks.filter(({ label }) => label === 'CERTIFICATE');
  if (certificates.length === 0)
    return refuse('invalid_certificate', 'contains no certificate in PEM ("-----BEGIN CERTIFICATE-----").');
  if (certificates.length > MAX_CERTIFICATES)
    return refuse(
      'invalid_certificate',
      `has ${certificates.length} certificates; at most ${MAX_CERTIFICATES} are accepted.`,
    );
  const bytes = certificates.reduce((sum, { pem }) => sum + pem.length, 0);
  if (bytes > MAX_CHAIN_BYTES)
    return refuse('invalid_certificate', `has ${bytes} bytes; at most ${MAX_CHAIN_BYTES} are accepted.`);
  const chain: ChainCertificate[] = [];
  for (const { pem } of certificates) {
    const read = readCertificate(pem);
    if (read === null) return refuse('invalid_certificate', `certificate ${chain.length + 1} cannot be read.`);
    if (chain.some(({ certificate }) => certificate.raw.equals(read.certificate.raw)))
      return refuse('invalid_certificate', `certificate ${chain.length + 1} is in the chain twice.`);
    chain.push(read);
  }
  return chain;
}

function readCertificate(pem: string): ChainCertificate | null {
  try {
    const certificate = new X509Certificate(pem);
    // The length of the text may differ from that of the certificate in it: only what was parsed is stored.
    return { certificate, parsed: new ParsedCertificate(certificate.raw) };
  } catch {
    return null;
  }
}

/** The private key of a PEM text. Its errors never repeat a part of it. @returns the first fault instead */
export function readPrivateKey(text: string): KeyObject | CertificateRefusal {
  if (text.includes('ENCRYPTED'))
    return refuse('invalid_private_key', 'the key is encrypted. Send it without a passphrase.', 'privateKey');
  const keys = blocksOf(text).filter(({ label }) => label.endsWith('PRIVATE KEY'));
  const [key] = keys;
  if (key === undefined)
    return refuse(
      'invalid_private_key',
      'contains no private key in PEM ("-----BEGIN PRIVATE KEY-----").',
      'privateKey',
    );
  if (keys.length > 1) return refuse('invalid_private_key', `has ${keys.length} private keys. Send one.`, 'privateKey');
  try {
    return createPrivateKey(key.pem);
  } catch {
    return refuse('invalid_private_key', 'the key cannot be read.', 'privateKey');
  }
}
