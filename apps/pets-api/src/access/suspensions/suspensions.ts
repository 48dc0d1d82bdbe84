import { findWriteBlock, type Suspension } from '@pets/domains';
import { RequestError } from '@pets/platform';

/** For responses: the database writes times with an offset. */
export function presentSuspensions(suspensions: readonly Suspension[]): readonly Suspension[] {
  return suspensions.map(({ since, renewsUntil, ...suspension }) => ({
    ...suspension,
    since: toUtc(since),
    renewsUntil: renewsUntil === null ? null : toUtc(renewsUntil),
  }));
}

/** @throws RequestError `suspended` when the operator has suspended the target */
export function requireChangeable(suspensions: readonly Suspension[]): void {
  const block = findWriteBlock(suspensions);
  if (block !== undefined) throw suspended(block.scope, block.reason);
}

export function suspended(scope: Suspension['scope'], reason: string): RequestError {
  return new RequestError('suspended', `The ${scope} is suspended: ${reason}. Contact the operator.`);
}

function toUtc(time: string): string {
  return new Date(time).toISOString();
}
