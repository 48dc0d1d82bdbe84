import type { Suspension } from '@pets/domains';

/** As the owner reads them: the database writes times with an offset. */
export function presentSuspensions(suspensions: readonly Suspension[]): readonly Suspension[] {
  return suspensions.map(({ since, renewsUntil, ...suspension }) => ({
    ...suspension,
    since: toUtc(since),
    renewsUntil: renewsUntil === null ? null : toUtc(renewsUntil),
  }));
}

function toUtc(time: string): string {
  return new Date(time).toISOString();
}
