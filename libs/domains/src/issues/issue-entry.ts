import type { DomainIssue, IssueCode } from '@pets/contracts';

export type Evidence = DomainIssue['evidence'];

/** Everything about a code: its properties, its texts, and an example for `docs/diagnoses.md`. */
export interface IssueEntry extends Pick<DomainIssue, 'severity' | 'area' | 'title' | 'resolvesAutomatically'> {
  /** Whether a domain with the issue cannot go live. `wildcard`: only the name of the evidence if it is a wildcard. */
  readonly blocking: boolean | 'wildcard';
  /** The cause of the issue, for the page of diagnoses. */
  readonly meaning: string;
  readonly message: (evidence: Evidence) => string;
  /**
   * The cause without the values of the records, where the dashboard's list of records says what to do. Null for evidence
   * of which it lists nothing.
   */
  readonly cause?: (evidence: Evidence) => string | null;
  readonly remediation: (evidence: Evidence) => string;
  /** The evidence of the example, as the verdict that finds the issue writes it. */
  readonly example: Evidence;
}

/** The entries of an area. */
export type IssueEntries = Partial<Record<IssueCode, IssueEntry>>;
