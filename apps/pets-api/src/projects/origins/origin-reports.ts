import type { OriginTest } from '@pets/contracts';

/** Reports of edges about origins. The module `edge` implements it. */
export abstract class OriginReports {
  /** Calls a listener with the results of tests that an edge of this replica has sent. */
  abstract onTested(listener: (tests: readonly OriginTest[]) => void): void;
}
