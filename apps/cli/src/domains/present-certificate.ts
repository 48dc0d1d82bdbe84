import type { CertificateChoice, DomainCertificate, OwnCertificate } from '@pets/contracts';
import { indentedWidth, paragraphs, presentFacts, titled, type Facts } from '../terminal/format.js';
import type { Style } from '../terminal/terminal.js';

/** Presents both certificates of a domain, the one that visitors get first. */
export function presentChoice(name: string, { source, own, automatic }: CertificateChoice, style: Style): string {
  const ofOwn = own === null ? '' : titledFacts('Own certificate', source === 'own', factsOfOwn(own, style), style);
  const ofAutomatic =
    automatic === null
      ? ''
      : titledFacts('Automatic certificate', source === 'automatic', factsOfAutomatic(name, automatic, style), style);
  return paragraphs(source === 'automatic' ? [ofAutomatic, ofOwn] : [ofOwn, ofAutomatic]);
}

function titledFacts(title: string, isServed: boolean, facts: Facts, { width }: Style): string {
  return titled(isServed ? `${title} (visitors get it)` : title, presentFacts(facts, indentedWidth(width)));
}

function factsOfOwn(own: OwnCertificate, { time }: Style): Facts {
  return [
    ['state', own.state],
    ['names', own.names.join(', ')],
    ['issuer', own.issuer],
    ['valid until', time(own.notAfter)],
    ['fingerprint', own.fingerprint],
    ['trust', own.trust],
    ['preferred', own.prefer],
    ['revocation', own.revocation.detail ?? own.revocation.result],
  ];
}

/** Facts of an ordered certificate, which is for the name alone. */
function factsOfAutomatic(name: string, certificate: DomainCertificate, { time }: Style): Facts {
  const { state, method, issuer, notAfter, renewAt, attempts, nextAttemptAt, rateLimitedUntil } = certificate;
  return [
    ['state', state],
    ['names', issuer === null ? null : name],
    ['issuer', issuer],
    ['valid until', notAfter && time(notAfter)],
    ['method', method],
    ['renewal', renewAt && time(renewAt)],
    ['attempts', String(attempts)],
    ['next attempt', state === 'issued' ? null : nextAttemptAt && time(nextAttemptAt)],
    ['rate limited', rateLimitedUntil && time(rateLimitedUntil)],
  ];
}
