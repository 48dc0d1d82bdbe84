import { certificateAlerts, type CertificateAlert, type DomainIssue, type IssueCode } from '@pets/contracts';
import { isShortLived, momentWithLeft, type CertificateLife } from '../certificates/renewal.js';
import { describeIssue } from '../issues.js';
import type { DomainFacts } from './domain-trigger.js';

/**
 * What is wrong with a domain's certificate as time goes by: none came, its renewal is at risk, it ends soon, it is over.
 * Worked out from facts whenever somebody looks, so that it shows and goes by itself; told once each, by `newAlert`.
 */

/** The facts that an alert depends on. */
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
  | 'certificateAlert'
  | 'issuance'
>;

/** Of an alert: the line in the history, and the issue that stands while it holds. */
const kinds = {
  overdue: { type: 'certificate.overdue', issue: 'certificate_overdue' },
  at_risk: { type: 'certificate.renewal_at_risk', issue: 'renewal_at_risk' },
  expiring: { type: 'certificate.expiring', issue: 'certificate_expiring' },
  expired: { type: 'certificate.expired', issue: 'certificate_expired' },
} as const satisfies Record<CertificateAlert, { type: string; issue: IssueCode }>;

/** Half of the life is left, or a third for certificates whose renewal begins at half. */
const AT_RISK = 1 / 2;
const SHORT_LIVED_AT_RISK = 1 / 3;
const EXPIRING = 1 / 10;

/** So many failures in a row are more than a hiccup. */
const FAILURES_AT_RISK = 2;

/** What has to be said of the certificate at this moment; null when all is well, or the suspension says it all. */
export function evaluateAlert(domain: AlertFacts, now: Date): CertificateAlert | null {
  if (!domain.mayRenew) return null;
  if (domain.state !== 'verified' && domain.state !== 'live') return null;
  const { certificate } = domain;
  if (certificate === null) return domain.certificateAlert === 'overdue' || overdueAt(domain) <= now ? 'overdue' : null;
  if (certificate.notAfter <= now) return 'expired';
  if (momentWithLeft(certificate, EXPIRING) <= now) return 'expiring';
  return atRiskAt(certificate) <= now && isObstructed(domain) ? 'at_risk' : null;
}

/** The issue that stands for as long as an alert holds. */
export function alertIssue(domain: AlertFacts, now: Date): DomainIssue | null {
  const alert = evaluateAlert(domain, now);
  return alert && describeAlert(domain, alert);
}

/** An alert that the owner was not told yet, nor anything worse. */
export function newAlert(domain: AlertFacts, now: Date) {
  const level = evaluateAlert(domain, now);
  if (level === null || rank(level) <= rank(domain.certificateAlert)) return null;
  const { message, remediation } = describeAlert(domain, level);
  return { level, type: kinds[level].type, detail: `${message} ${remediation}` };
}

/** The next moment at which there may be something to say; null when none is to come. */
export function nextAlertAt(domain: AlertFacts, now: Date): Date | null {
  const { certificate } = domain;
  const moments =
    certificate === null
      ? [overdueAt(domain)]
      : [atRiskAt(certificate), momentWithLeft(certificate, EXPIRING), certificate.notAfter];
  return moments.find((moment) => moment > now) ?? null;
}

function overdueAt({ generationBeganAt, overdueAfterMs }: AlertFacts): Date {
  return new Date(generationBeganAt.getTime() + overdueAfterMs);
}

function atRiskAt(certificate: CertificateLife): Date {
  return momentWithLeft(certificate, isShortLived(certificate) ? SHORT_LIVED_AT_RISK : AT_RISK);
}

/** Whether renewal would fail as things are, or does. */
function isObstructed({ misconfigured, dnsIssues, certificateIssues, issuance }: AlertFacts): boolean {
  const isError = ({ severity }: DomainIssue) => severity === 'error';
  return (
    misconfigured ||
    dnsIssues.some(isError) ||
    certificateIssues.some(isError) ||
    issuance.failuresInARow >= FAILURES_AT_RISK
  );
}

function describeAlert({ name, verifiedAt, generationBeganAt, certificate }: AlertFacts, alert: CertificateAlert) {
  const moment: Readonly<Record<string, string>> =
    certificate === null
      ? { since: (verifiedAt ?? generationBeganAt).toISOString() }
      : { until: certificate.notAfter.toISOString() };
  return describeIssue(kinds[alert].issue, { name, ...moment });
}

function rank(alert: CertificateAlert | null): number {
  return alert === null ? -1 : certificateAlerts.indexOf(alert);
}
