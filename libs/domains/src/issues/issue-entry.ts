import type { DomainIssue, IssueCode } from '@pets/contracts';
import { truncateText } from '../dns/truncate.js';
import { displayNameOf } from '../names/unicode-name.js';

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

/** Limit of a single text in the evidence: a chain of eight names, or the error detail of a CA. */
export const MAX_TEXT_BYTES = 1_024;

type Value = Evidence[string] | undefined;

export function text(value: Value): string {
  return truncateText(Array.isArray(value) ? value.join(', ') : String(value ?? 'unknown'));
}

/** A name in Unicode for people; the evidence keeps it as DNS has it. */
export function nameText(value: Value): string {
  return typeof value === 'string' ? truncateText(displayNameOf(value), MAX_TEXT_BYTES) : text(value);
}

/** A chain of names, for people. */
export function chainText(value: Value): string {
  return typeof value === 'string'
    ? truncateText(value.split(' → ').map(displayNameOf).join(' → '), MAX_TEXT_BYTES)
    : text(value);
}

/** The explanation of a usual mistake, where the evidence has one. */
export function hint(e: Evidence): string {
  return e.hint === undefined ? '' : ` ${text(e.hint)}`;
}

/** A sentence about the time at which the last cache expires, where the evidence has it. */
export function until(e: Evidence, sentence: (time: string) => string): string {
  return e.expectedBy === undefined ? '' : ` ${sentence(text(e.expectedBy))}`;
}

/** The address records that may take the place of an ALIAS. */
export function orAddresses(e: Evidence): string {
  return e.addressRecords === undefined
    ? ''
    : ` If your DNS provider has no such record, create these instead, all of them: ${text(e.addressRecords)}.`;
}

/**
 * Instruction to create the CNAME. A name at which a wildcard record answers needs its own record; the wildcard may
 * stay.
 */
export function createCname(e: Evidence): string {
  return `Create a CNAME record for ${nameText(e.name)} itself, to exactly ${text(e.expected)}.`;
}
