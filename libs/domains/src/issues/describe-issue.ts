import { isWildcard, type DomainIssue, type IssueCode } from '@pets/contracts';
import { truncateList, truncateText } from '../dns/truncate.js';
import { MAX_TEXT_BYTES } from './evidence-texts.js';
import { issueCatalog } from './issue-catalog.js';
import type { Evidence } from './issue-entry.js';

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
