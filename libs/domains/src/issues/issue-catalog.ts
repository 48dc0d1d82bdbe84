import { isWildcard, type DomainIssue, type IssueCode } from '@pets/contracts';
import { truncateList, truncateText } from '../dns/truncate.js';
import { addressIssues } from './address-issues.js';
import { caaIssues, certificateIssues, ownCertificateIssues } from './certificate-issues.js';
import { delegationIssues } from './delegation-issues.js';
import { MAX_TEXT_BYTES, type Evidence, type IssueEntry } from './issue-entry.js';
import { orderIssues } from './order-issues.js';
import { ownershipIssues } from './ownership-issues.js';
import { planIssues } from './plan-issues.js';
import { recordIssues, zoneIssues } from './record-issues.js';

/** Every issue. The compiler names a code without an entry. */
export const issueCatalog: Readonly<Record<IssueCode, IssueEntry>> = {
  ...recordIssues,
  ...addressIssues,
  ...zoneIssues,
  ...ownershipIssues,
  ...delegationIssues,
  ...caaIssues,
  ...orderIssues,
  ...certificateIssues,
  ...ownCertificateIssues,
  ...planIssues,
};

/**
 * Creates an issue from its code and evidence. Evidence is cut to a bounded size, since names, errors and records come from
 * strangers and an issue goes into answers, history entries and webhooks.
 */
export function describeIssue(code: IssueCode, seen: Evidence): DomainIssue {
  const { title, area, severity, blocking, resolvesAutomatically, message, cause, remediation } = issueCatalog[code];
  const evidence = Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, bounded(value)]));
  return {
    code,
    title,
    area,
    severity,
    blocking: blocking === 'wildcard' ? isWildcard(String(evidence.name)) : blocking,
    resolvesAutomatically,
    message: message(evidence),
    cause: cause?.(evidence) ?? null,
    remediation: remediation(evidence),
    evidence,
  };
}

function bounded(value: Evidence[string]): Evidence[string] {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? truncateText(value, MAX_TEXT_BYTES) : truncateList(value);
}
