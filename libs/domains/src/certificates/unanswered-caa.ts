import type { DomainIssue } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';

/** After this, servers that do not answer questions for CAA are the owner's to repair. */
const UNANSWERED_MS = 60 * 60_000;

/** Whether an issue is about servers that gave no answer for CAA. The evidence `at` has the name that was asked for. */
function isUnanswered({ code, evidence }: DomainIssue): boolean {
  return code === 'caa_unanswered' || (code === 'resolver_failed' && evidence['at'] !== undefined);
}

/** Whether an issue is the outcome of a CAA check, so that the next check replaces it. */
export function isCaaIssue(issue: DomainIssue): boolean {
  const codes = ['caa_forbids', 'caa_too_large', 'dnssec_broken'];
  return codes.includes(issue.code) || isUnanswered(issue);
}

/**
 * Adds to the issues of a check since when CAA has not been answered, and turns the warning into an error after an hour: many
 * name servers never answer that type, and without an answer no CA issues (RFC 8659 §3).
 * @param known the issues of the check before
 */
export function ageUnansweredCaa(
  issues: readonly DomainIssue[],
  known: readonly DomainIssue[],
  now: Date,
): readonly DomainIssue[] {
  const since = String(known.find(isUnanswered)?.evidence['since'] ?? now.toISOString());
  const code = now.getTime() - Date.parse(since) >= UNANSWERED_MS ? 'caa_unanswered' : 'resolver_failed';
  return issues.map((issue) => (isUnanswered(issue) ? describeIssue(code, { ...issue.evidence, since }) : issue));
}
