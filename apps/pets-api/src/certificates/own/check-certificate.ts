/**
 * The checks of an uploaded certificate: everything for which a browser would refuse it, in an order in which cheap checks
 * protect expensive ones. Pure: no I/O, and the time and the trusted roots are parameters. Name constraints and policies are
 * not evaluated, and revocation is a job of the worker.
 */
import 'reflect-metadata';
import type { KeyObject } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
} from '@peculiar/x509';
import { MAX_CRL_URLS, type CertificateTrust } from '@pets/contracts';
import { coversName, displayNameOf, MIN_OWN_CERTIFICATE_LIFE_MS } from '@pets/domains';
import { isRefusal, refuse, type CertificateRefusal } from './certificate-refusal.js';
import { findKeyFault, findPairFault } from './check-keys.js';
import type { TrustedRoots } from './public-roots.js';
import { distributionUrls, dnsNamesOf, isSelfIssued, nameOf } from './read-extensions.js';
import { readChain, readPrivateKey, type ChainCertificate } from './read-pem.js';

/** For differences between clocks. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The certificates of public CAs have at most 250. A handshake sends all of them. */
const MAX_NAMES = 250;

/** RFC 7633: a server must staple an OCSP response, which edges do not do. */
const TLS_FEATURE = '1.3.6.1.5.5.7.1.24';

const strongHashes: ReadonlySet<string | undefined> = new Set(['SHA-256', 'SHA-384', 'SHA-512']);

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
  /** Where its revocation list is, and the certificate of the CA that signs it, in PEM. Empty and null without either. */
  readonly crlUrls: readonly string[];
  readonly crlIssuerPem: string | null;
}

interface Conditions {
  /** Of the domain, in ASCII form. */
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
  return (
    findWeakness(chain, key) ??
    findLeafFault(leaf, name) ??
    findPairFault(leaf.certificate, key) ??
    findDateFault(chain, now) ??
    findLinkFault(chain) ??
    (trust === 'public' ? findTrustFault(chain, roots, now) : null) ??
    accepted(chain, leaf, key)
  );
}

/** Sizes first: no signature is computed or verified with a key that was not accepted. */
function findWeakness(chain: readonly ChainCertificate[], key: KeyObject): CertificateRefusal | null {
  const ofKey = findKeyFault(key, true);
  if (ofKey !== null) return refuse('invalid_private_key', `is ${ofKey}.`, 'privateKey');
  for (const [index, { certificate, parsed }] of chain.entries()) {
    const subject = `certificate ${index + 1}`;
    const fault = findKeyFault(certificate.publicKey, index === 0);
    if (fault !== null) return refuse('invalid_certificate', `${subject} has ${fault}.`);
    // Nobody checks the signature of a root.
    if (index > 0 && isSelfIssued(certificate)) continue;
    const { hash, name } = parsed.signatureAlgorithm as { name: string; hash?: { name?: string } }; // as the parser declares
    if (!strongHashes.has(hash?.name))
      return refuse(
        'invalid_certificate',
        `${subject} is signed with ${hash?.name ?? name}, which browsers do not accept.`,
      );
  }
  return null;
}

function findLeafFault({ certificate, parsed }: ChainCertificate, name: string): CertificateRefusal | null {
  if (certificate.ca || parsed.getExtension(BasicConstraintsExtension)?.ca === true)
    return refuse('invalid_certificate', 'certificate 1 is the certificate of a CA. Send that of the domain first.');
  const names = dnsNamesOf(parsed);
  if (names.length > MAX_NAMES)
    return refuse('invalid_certificate', `certificate 1 has ${names.length} names; at most ${MAX_NAMES} are accepted.`);
  if (!coversName(names, name)) {
    const shown = names.slice(0, 5).map((found) => found.slice(0, 253));
    const others = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
    const found = names.length === 0 ? 'has no subject alternative name' : `is for ${shown.join(', ')}${others}`;
    return refuse('certificate_name_mismatch', `${found}, not for ${displayNameOf(name)}.`);
  }
  if (parsed.getExtension(TLS_FEATURE) !== null)
    return refuse(
      'invalid_certificate',
      'certificate 1 requires a stapled OCSP response (must-staple), which we do not send.',
    );
  const purposes = parsed.getExtension(ExtendedKeyUsageExtension)?.usages ?? [];
  if (!purposes.includes(ExtendedKeyUsage.serverAuth))
    return refuse('invalid_certificate', 'certificate 1 is not for TLS servers (extended key usage serverAuth).');
  const usages = parsed.getExtension(KeyUsagesExtension)?.usages;
  if (usages !== undefined && (usages & KeyUsageFlags.digitalSignature) === 0)
    return refuse('invalid_certificate', 'certificate 1 does not allow signatures (key usage digitalSignature).');
  return null;
}

function findDateFault(chain: readonly ChainCertificate[], now: Date): CertificateRefusal | null {
  for (const [index, { certificate }] of chain.entries()) {
    const [subject, { validFromDate: from, validToDate: to }] = [`certificate ${index + 1}`, certificate];
    if (to <= now) return refuse('certificate_expired', `${subject} expired at ${to.toISOString()}.`);
    if (from.getTime() - CLOCK_TOLERANCE_MS > now.getTime())
      return refuse('certificate_expired', `${subject} is not valid before ${from.toISOString()}.`);
    if (to.getTime() - now.getTime() < MIN_OWN_CERTIFICATE_LIFE_MS)
      return refuse('certificate_expired', `${subject} expires at ${to.toISOString()}, within a day.`);
  }
  return null;
}

/** Each certificate is signed by the next, which is a CA that may sign so many below it. */
function findLinkFault(chain: readonly ChainCertificate[]): CertificateRefusal | null {
  for (const [index, { certificate }] of chain.slice(0, -1).entries()) {
    const issuer = chain[index + 1];
    if (issuer === undefined) return null;
    const [below, above] = [`certificate ${index + 1}`, `certificate ${index + 2}`];
    if (!certificate.checkIssued(issuer.certificate) || !certificate.verify(issuer.certificate.publicKey))
      return refuse(
        'invalid_certificate',
        `${below} is not signed by ${above}. Send the chain in order, the leaf first.`,
      );
    const constraints = issuer.parsed.getExtension(BasicConstraintsExtension);
    const usages = issuer.parsed.getExtension(KeyUsagesExtension)?.usages ?? KeyUsageFlags.keyCertSign;
    if (constraints?.ca !== true || (usages & KeyUsageFlags.keyCertSign) === 0)
      return refuse('invalid_certificate', `${above} is not that of a CA.`);
    // RFC 5280 §4.2.1.9: the number of certificates between it and the leaf.
    if (constraints.pathLength !== undefined && constraints.pathLength < index)
      return refuse('invalid_certificate', `${above} may not have so many certificates below it.`);
  }
  return null;
}

function findTrustFault(chain: readonly ChainCertificate[], roots: TrustedRoots, now: Date): CertificateRefusal | null {
  const last = chain.at(-1)?.certificate;
  if (last === undefined || roots.certify(last, now)) return null;
  if (isSelfIssued(last))
    return refuse(
      'certificate_untrusted',
      `the chain ends with "${nameOf(last.subject)}", which browsers do not trust. If your visitors do, send "trust": "private".`,
    );
  return refuse(
    'certificate_untrusted',
    `the chain lacks the certificate of "${nameOf(last.issuer)}", which signed certificate ${chain.length}. Add it, or ` +
      'send "trust": "private" if your visitors trust another root.',
  );
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
