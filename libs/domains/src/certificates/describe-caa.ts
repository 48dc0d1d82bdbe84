import type { CaaVerdict, DomainIssue } from '@pets/contracts';
import { describeIssue } from '../issues.js';

/** A refusal by CAA, or that it could not be told, as the owner reads it. */
export function describeCaa(verdict: Exclude<CaaVerdict, { kind: 'permits' }>): DomainIssue {
  if (verdict.kind === 'unknown' && verdict.reason === 'too_large')
    return describeIssue('caa_too_large', { at: verdict.at, error: verdict.error });
  if (verdict.kind === 'unknown')
    return describeIssue('resolver_failed', { errors: [`CAA at ${verdict.at}: ${verdict.error}`] });
  const { at, records, permitting, blocking } = verdict;
  return describeIssue('caa_forbids', { at, records, permitting, ...(blocking && { blocking }) });
}
