import { certificateAlerts, type CertificateAlert, type DomainIssue, type IssueCode } from '@pets/contracts';
import { ownExpiryWarningAt } from '../certificates/own-certificate.js';
import { isShortLived, timeWithLifetimeLeft, type ValidityPeriod } from '../certificates/renewal.js';
import { describeIssue } from '../issues/issue-catalog.js';
import type { DomainFacts } from './domain-trigger.js';

/**
 * Alerts about a domain's certificate: overdue, renewal at risk, expiring, expired. They are computed from the facts on every
 * read, so that they appear and disappear automatically. `unreportedAlert` reports each level once.
 */

/** The facts that alerts depend on. */
export type AlertFacts = Pick<
  DomainFacts,
  | 'name'
  | 'state'
  | 'misconfigured'
  | 'mayRenew'
  | 'verifiedAt'
  | 'generationBeganAt'
  | 'overdueAfterMs'
  | 'dnsIssues'
  | 'certificateIssues'
  | 'certificate'
  | 'ownCertificate'
  | 'certificateAlert'
  | 'issuance'
>;

/** For each alert, the type of its history event and the code of its issue. */
const kinds = {
  overdue: { type: 'certificate.overdue', issue: 'certificate_overdue' },
  at_risk: { type: 'certificate.renewal_at_risk', issue: 'renewal_at_risk' },
  expiring: { type: 'certificate.expiring', issue: 'certificate_expiring' },
  expired: { type: 'certificate.expired', issue: 'certificate_expired' },
} as const satisfies Record<CertificateAlert, { type: string; issue: IssueCode }>;

/**
 * Part of the lifetime below which a certificate is at risk; smaller for short-lived ones, whose renewal starts at
 * half.
 */
const AT_RISK = 1 / 2;
const SHORT_LIVED_AT_RISK = 1 / 3;
const EXPIRING = 1 / 10;

/** Consecutive failures that put a renewal at risk. */
const FAILURES_AT_RISK = 2;

/** The current alert; null without a problem, or if a suspension prevents renewal. */
export function evaluateAlert(domain: AlertFacts, now: Date): CertificateAlert | null {
  if (!domain.mayRenew) return null;
  if (domain.state !== 'verified' && domain.state !== 'live') return null;
  const { certificate, ownCertificate } = domain;
  if (ownCertificate !== null) return evaluateOwn(ownCertificate, now);
  if (certificate === null) return domain.certificateAlert === 'overdue' || overdueAt(domain) <= now ? 'overdue' : null;
  if (certificate.notAfter <= now) return 'expired';
  if (timeWithLifetimeLeft(certificate, EXPIRING) <= now) return 'expiring';
  return atRiskAt(certificate) <= now && isObstructed(domain) ? 'at_risk' : null;
}

/** Evaluates an uploaded certificate. Only the owner renews it, so no failed attempt can put it at risk. */
function evaluateOwn(own: ValidityPeriod, now: Date): CertificateAlert | null {
  if (own.notAfter <= now) return 'expired';
  return ownExpiryWarningAt(own) <= now ? 'expiring' : null;
}

/** The issue of the current alert; null without one. */
export function alertIssue(domain: AlertFacts, now: Date): DomainIssue | null {
  const alert = evaluateAlert(domain, now);
  return alert && describeAlert(domain, alert);
}

/** The current alert if neither it nor a more severe one has been reported; else null. */
export function unreportedAlert(domain: AlertFacts, now: Date) {
  const level = evaluateAlert(domain, now);
  if (level === null || rank(level) <= rank(domain.certificateAlert)) return null;
  const { message, remediation } = describeAlert(domain, level);
  return { level, type: kinds[level].type, detail: `${message} ${remediation}` };
}

/** The next time at which an alert may start; null if none is left. */
export function nextAlertAt(domain: AlertFacts, now: Date): Date | null {
  const { certificate, ownCertificate } = domain;
  const moments =
    ownCertificate !== null
      ? [ownExpiryWarningAt(ownCertificate), ownCertificate.notAfter]
      : certificate === null
        ? [overdueAt(domain)]
        : [atRiskAt(certificate), timeWithLifetimeLeft(certificate, EXPIRING), certificate.notAfter];
  return moments.find((moment) => moment > now) ?? null;
}

function overdueAt({ generationBeganAt, overdueAfterMs }: AlertFacts): Date {
  return new Date(generationBeganAt.getTime() + overdueAfterMs);
}

function atRiskAt(certificate: ValidityPeriod): Date {
  return timeWithLifetimeLeft(certificate, isShortLived(certificate) ? SHORT_LIVED_AT_RISK : AT_RISK);
}

/** Whether renewal fails, or would fail in the current state. */
function isObstructed({ misconfigured, dnsIssues, certificateIssues, issuance }: AlertFacts): boolean {
  const isError = ({ severity }: DomainIssue) => severity === 'error';
  return (
    misconfigured ||
    dnsIssues.some(isError) ||
    certificateIssues.some(isError) ||
    issuance.failuresInARow >= FAILURES_AT_RISK
  );
}

function describeAlert(domain: AlertFacts, alert: CertificateAlert) {
  const { name, verifiedAt, generationBeganAt, certificate, ownCertificate } = domain;
  if (ownCertificate !== null) {
    const code = alert === 'expired' ? 'certificate_expired' : 'own_certificate_expiring';
    return describeIssue(code, { name, until: ownCertificate.notAfter.toISOString() });
  }
  const moment: Readonly<Record<string, string>> =
    certificate === null
      ? { since: (verifiedAt ?? generationBeganAt).toISOString() }
      : { until: certificate.notAfter.toISOString() };
  return describeIssue(kinds[alert].issue, { name, ...moment });
}

/** The more severe one has the higher rank; that of null is the lowest. */
function rank(alert: CertificateAlert | null): number {
  return certificateAlerts.findIndex((one) => one === alert);
}
