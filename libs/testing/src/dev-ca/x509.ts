/** The one way to the certificate library here: it refuses to load before the reflection polyfill. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { Problem } from './problem.js';

export { x509 };

/**
 * Reads a certificate request and checks that its sender holds its key, and that it is for exactly the names of
 * the order (RFC 8555 §7.4).
 * @returns the public key to certify
 */
export async function readCsr(der: Buffer, names: readonly string[]): Promise<x509.PublicKey> {
  const request = parse(der);
  if (!(await request.verify())) throw new Problem('badCSR', 'the signature of the CSR does not verify');
  const wanted = [...names].sort().join(' ');
  const asked = [...new Set(namesOf(request))].sort().join(' ');
  if (asked !== wanted) throw new Problem('badCSR', `the CSR names ${asked || 'nothing'}, the order ${wanted}`);
  return request.publicKey;
}

function parse(der: Buffer): x509.Pkcs10CertificateRequest {
  try {
    return new x509.Pkcs10CertificateRequest(der);
  } catch {
    throw new Problem('badCSR', 'the CSR cannot be read');
  }
}

function namesOf(request: x509.Pkcs10CertificateRequest): string[] {
  const alternative = request.extensions
    .filter((extension) => extension instanceof x509.SubjectAlternativeNameExtension)
    .flatMap((extension) => extension.names.items);
  const stranger = alternative.find((name) => name.type !== 'dns');
  if (stranger) throw new Problem('badCSR', `the CSR holds a name of type ${stranger.type}`);
  const names = [...request.subjectName.getField('CN'), ...alternative.map((name) => name.value)];
  return names.map((name) => name.toLowerCase());
}

// ACME renewal information (RFC 9773): when a certificate should be renewed, and which order replaced it.

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
