import type { DnsFindings } from '@pets/contracts';

/** Whether the TXT proof is there: yes, no, or could not tell. */
export type OwnershipVerdict =
  { readonly kind: 'proven' } | { readonly kind: 'refuted' } | { readonly kind: 'unknown'; readonly error: string };

/** A failed look-up is never evidence against the owner: only an answer can refute. */
export function judgeOwnership(findings: DnsFindings, ownershipHost: string, token: string): OwnershipVerdict {
  const answers = findings.lookups
    .filter(({ type, name }) => type === 'TXT' && name === ownershipHost)
    .map(({ answer }) => answer);
  const answered = answers.filter((answer) => answer.kind !== 'failed');
  if (answered.length === 0) {
    const failed = answers.find((answer) => answer.kind === 'failed');
    return { kind: 'unknown', error: failed?.error ?? 'the proof was not looked up' };
  }
  const isProven = answered.every(
    (answer) => answer.kind === 'found' && answer.records.some(({ value }) => value === token),
  );
  return isProven ? { kind: 'proven' } : { kind: 'refuted' };
}
