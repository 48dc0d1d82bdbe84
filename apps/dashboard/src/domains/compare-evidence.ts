import type { DomainIssue } from '@pets/contracts';

export interface Comparison {
  readonly expected: readonly string[];
  readonly seen: readonly string[];
}

/** What a record should be beside what it is, where an issue knows both. */
export function compareEvidence({ code, evidence }: Pick<DomainIssue, 'code' | 'evidence'>): Comparison | null {
  const seen = textsOf(code === 'caa_forbids' ? evidence['records'] : evidence['seen']);
  const expected = textsOf(code === 'caa_forbids' ? evidence['permitting'] : evidence['expected']);
  return seen.length === 0 || expected.length === 0 ? null : { expected, seen };
}

function textsOf(value: DomainIssue['evidence'][string] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [String(value)];
}
