/**
 * ACME renewal information (RFC 9773): when a certificate should be renewed, and which order replaced it.
 */
import { Problem } from './problem.js';
import { x509 } from './x509.js';

/** Renewal is suggested after this part of a certificate's life, over a tenth of it. */
const WINDOW_BEGINS_AT = 2 / 3;
const WINDOW_WIDTH = 1 / 10;
const HOUR_MS = 3_600_000;

export type Window = { readonly start: Date; readonly end: Date; readonly explanationUrl?: string };

/** §4.1: the authority key identifier and the serial number of a certificate, base64url, with a dot between. */
export function certificateIdentifier(certificate: string | Buffer): string {
  const leaf = new x509.X509Certificate(certificate);
  const keyId = leaf.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId;
  if (keyId === undefined) throw new Error('the certificate has no authority key identifier');
  return [keyId, leaf.serialNumber].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
}

export function assertIdentifier(text: string): void {
  if (!/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(text))
    throw new Problem('malformed', `${JSON.stringify(text)} does not identify a certificate`);
}

export function suggestedWindow(leafPem: string): Window {
  const { notBefore, notAfter } = new x509.X509Certificate(leafPem);
  const lifeMs = notAfter.getTime() - notBefore.getTime();
  const startMs = notBefore.getTime() + lifeMs * WINDOW_BEGINS_AT;
  return { start: new Date(startMs), end: new Date(startMs + lifeMs * WINDOW_WIDTH) };
}

/** A window that has passed: renew at once, as in a mass revocation. */
export function passedWindow(now: Date, explanationUrl: string): Window {
  const start = new Date(now.getTime() - 2 * HOUR_MS);
  const end = new Date(now.getTime() - HOUR_MS);
  return { start, end, explanationUrl };
}
