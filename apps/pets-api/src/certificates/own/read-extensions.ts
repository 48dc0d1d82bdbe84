import type { X509Certificate } from 'node:crypto';
import {
  CRLDistributionPointsExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate as ParsedCertificate,
} from '@peculiar/x509';

/** Longer URLs are no addresses of lists. */
const MAX_URL = 500;

/** The subject alternative names that are DNS names. The common name of the subject does not count (RFC 9525). */
export function dnsNamesOf(parsed: ParsedCertificate): readonly string[] {
  const names = parsed.getExtension(SubjectAlternativeNameExtension)?.names.items ?? [];
  return names.filter(({ type }) => type === 'dns').map(({ value }) => value.toLowerCase());
}

/** The addresses of complete revocation lists that the CA itself signs, over HTTP (RFC 5280 §4.2.1.13). */
export function distributionUrls(parsed: ParsedCertificate): readonly string[] {
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
export function isSelfIssued({ subject, issuer }: X509Certificate): boolean {
  return subject === issuer;
}

/** The common name of a subject or issuer, or all of it. */
export function nameOf(distinguishedName: string): string {
  const name = /^CN=(.*)$/m.exec(distinguishedName)?.[1] ?? distinguishedName.replaceAll('\n', ', ');
  return name.slice(0, 200);
}
