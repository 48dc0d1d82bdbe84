import type { DomainIssue } from '@pets/contracts';

/**
 * Whether an issue is only that a record to create does not exist: a command that waits for the domain may wait for that record
 * as well. A record with another value or name has to be changed first.
 */
export function isRecordMissing({ code, evidence }: Pick<DomainIssue, 'code' | 'evidence'>): boolean {
  const isRequired = code === 'no_record' || code === 'ownership_txt_missing' || code === 'delegation_missing';
  // The proof of a name that is too long is impossible: no record is expected.
  const isWrong = evidence['seen'] !== undefined || evidence['enteredAt'] !== undefined;
  return isRequired && evidence['expected'] !== undefined && !isWrong;
}
