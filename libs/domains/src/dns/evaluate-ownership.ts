import type { DnsAnswer, DnsFindings } from '@pets/contracts';
import { cutText } from './cut-text.js';
import { preferAuthority } from './dns-views.js';

/** More values explain no more. */
const MAX_SEEN = 16;

/** Whether the TXT proof is there: yes, no, or could not tell. */
export type OwnershipVerdict =
  | { readonly kind: 'proven' }
  /** `seen`: what stands there instead of the token, where anything does. */
  | { readonly kind: 'refuted'; readonly seen?: readonly string[] }
  | { readonly kind: 'unknown'; readonly error: string };

/**
 * A failed look-up is never evidence against the owner: only an answer can refute. The zone's own servers decide where any
 * has answered, else the resolvers; all that decide and answer must have the token.
 */
export function evaluateOwnership(findings: DnsFindings, ownershipHost: string, token: string): OwnershipVerdict {
  const lookups = findings.lookups.filter(({ type, name }) => type === 'TXT' && name === ownershipHost);
  const answers = preferAuthority(lookups).map(({ answer }) => answer);
  const answered = answers.filter((answer) => answer.kind !== 'failed');
  if (answered.length === 0) {
    const failed = answers.find((answer) => answer.kind === 'failed');
    return { kind: 'unknown', error: failed?.error ?? 'the TXT record was not looked up' };
  }
  const isProven = answered.every(
    (answer) => answer.kind === 'found' && answer.records.some(({ value }) => value === token),
  );
  return isProven ? { kind: 'proven' } : { kind: 'refuted', seen: othersThan(token, answered) };
}

function othersThan(token: string, answers: readonly DnsAnswer[]): readonly string[] {
  const values = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records.map(({ value }) => value) : []));
  return [...new Set(values)]
    .filter((value) => value !== token)
    .slice(0, MAX_SEEN)
    .map((value) => cutText(value));
}
