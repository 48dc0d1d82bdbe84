/**
 * The rules for the names, dates and links of an uploaded certificate: everything for which a browser would refuse it, but for
 * its key. pets-api reads the certificates. Name constraints and policies are not evaluated, and revocation is a job of the
 * worker.
 */
import type { ErrorCode } from '@pets/contracts';
import { displayNameOf } from '../names/unicode-name.js';
import { coversName, MIN_OWN_CERTIFICATE_LIFE_MS } from './own-certificate.js';
import type { ValidityPeriod } from './renewal.js';

/** For differences between clocks. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The certificates of public CAs have at most 250. A handshake sends all of them. */
const MAX_NAMES = 250;

const strongHashes: ReadonlySet<string> = new Set(['SHA-256', 'SHA-384', 'SHA-512']);

/** A certificate of a chain, as it was read. */
export interface ChainLink extends ValidityPeriod {
  /** The common name, or all of the distinguished name. */
  readonly subject: string;
  readonly issuer: string;
  /** Whether it names itself as its issuer, as a root does. */
  readonly isSelfIssued: boolean;
  /** DNS names among the subject alternative names (RFC 9525). */
  readonly names: readonly string[];
  /** The hash of its signature, such as `SHA-256`. */
  readonly signatureHash: string;
  /** Whether its signature is that of the next certificate; false for the last one. */
  readonly isSignedByNext: boolean;
  readonly isCa: boolean;
  /** The certificates that may be between it and the leaf (RFC 5280 §4.2.1.9); null without a limit. */
  readonly maxBelow: number | null;
  /** Uses that the certificate's key usages and purposes permit; a use that they do not restrict is permitted. */
  readonly allows: { readonly certificates: boolean; readonly signatures: boolean; readonly servers: boolean };
  /** RFC 7633: whether a server must staple an OCSP response, which edges do not do. */
  readonly requiresStapling: boolean;
}

interface ChainConditions {
  readonly now: Date;
  /** Whether the last certificate is that of a trusted root, or signed by one; or the owner says that visitors trust it. */
  readonly isTrusted: boolean;
}

interface ChainFault {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * The first fault for which a chain is of no use with any key, at any time: the hash of a signature, or the leaf itself.
 * @param name of the domain, in ASCII form
 */
export function findLeafFault(chain: readonly ChainLink[], name: string): ChainFault | null {
  const [leaf] = chain;
  return leaf === undefined ? invalid('contains no certificate.') : (findWeakHash(chain) ?? findFaultOf(leaf, name));
}

/** The first fault of the dates and links of a chain whose leaf and key were accepted; null if a browser accepts it. */
export function findChainFault(chain: readonly ChainLink[], { now, isTrusted }: ChainConditions): ChainFault | null {
  return findDateFault(chain, now) ?? findLinkFault(chain) ?? (isTrusted ? null : untrusted(chain));
}

/** Finds a weak signature hash. The signature of a root is left out: no client checks it. */
function findWeakHash(chain: readonly ChainLink[]): ChainFault | null {
  const index = chain.findIndex(
    ({ signatureHash, isSelfIssued }, at) => !(at > 0 && isSelfIssued) && !strongHashes.has(signatureHash),
  );
  const weak = chain[index];
  return weak === undefined
    ? null
    : invalid(`certificate ${index + 1} is signed with ${weak.signatureHash}, which browsers do not accept.`);
}

function findFaultOf({ isCa, names, requiresStapling, allows }: ChainLink, name: string): ChainFault | null {
  if (isCa) return invalid('certificate 1 is the certificate of a CA. Send that of the domain first.');
  if (names.length > MAX_NAMES)
    return invalid(`certificate 1 has ${names.length} names; at most ${MAX_NAMES} are accepted.`);
  if (!coversName(names, name)) return mismatch(names, name);
  if (requiresStapling)
    return invalid('certificate 1 requires a stapled OCSP response (must-staple), which we do not send.');
  if (!allows.servers) return invalid('certificate 1 is not for TLS servers (extended key usage serverAuth).');
  if (!allows.signatures) return invalid('certificate 1 does not allow signatures (key usage digitalSignature).');
  return null;
}

function mismatch(names: readonly string[], name: string): ChainFault {
  const shown = names.slice(0, 5).map((found) => found.slice(0, 253));
  const others = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const found = names.length === 0 ? 'has no subject alternative name' : `is for ${shown.join(', ')}${others}`;
  return { code: 'certificate_name_mismatch', message: `${found}, not for ${displayNameOf(name)}.` };
}

function findDateFault(chain: readonly ChainLink[], now: Date): ChainFault | null {
  for (const [index, { notBefore, notAfter }] of chain.entries()) {
    const message = describeDates(notBefore, notAfter, now);
    if (message !== null) return { code: 'certificate_expired', message: `certificate ${index + 1} ${message}` };
  }
  return null;
}

function describeDates(from: Date, to: Date, now: Date): string | null {
  if (to <= now) return `expired at ${to.toISOString()}.`;
  if (from.getTime() - CLOCK_TOLERANCE_MS > now.getTime()) return `is not valid before ${from.toISOString()}.`;
  const isShort = to.getTime() - now.getTime() < MIN_OWN_CERTIFICATE_LIFE_MS;
  return isShort ? `expires at ${to.toISOString()}, within a day.` : null;
}

/** Each certificate is signed by the next, which is a CA that may sign so many below it. */
function findLinkFault(chain: readonly ChainLink[]): ChainFault | null {
  for (const [index, issuer] of chain.entries()) {
    const certificate = chain[index - 1];
    if (certificate === undefined) continue;
    const [below, above] = [`certificate ${index}`, `certificate ${index + 1}`];
    if (!certificate.isSignedByNext)
      return invalid(`${below} is not signed by ${above}. Send the chain in order, the leaf first.`);
    if (!issuer.isCa || !issuer.allows.certificates) return invalid(`${above} is not that of a CA.`);
    if (issuer.maxBelow !== null && issuer.maxBelow < index - 1)
      return invalid(`${above} may not have so many certificates below it.`);
  }
  return null;
}

function untrusted(chain: readonly ChainLink[]): ChainFault {
  const last = chain.at(-1);
  const message = last?.isSelfIssued
    ? `the chain ends with "${last.subject}", which browsers do not trust. If your visitors do, send "trust": "private".`
    : `the chain lacks the certificate of "${last?.issuer}", which signed certificate ${chain.length}. Add it, or ` +
      'send "trust": "private" if your visitors trust another root.';
  return { code: 'certificate_untrusted', message };
}

function invalid(message: string): ChainFault {
  return { code: 'invalid_certificate', message };
}
