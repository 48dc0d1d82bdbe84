import type { OriginOpinion, OriginTest } from '@pets/contracts';

/** Reports of edges about origins. The module `edge` implements it. */
export abstract class OriginReports {
  /** Calls a listener with the results of tests that an edge of this replica has sent. */
  abstract onTested(listener: (tests: readonly OriginTest[]) => void): void;

  /** Calls a listener with what an edge of this replica says about origins. */
  abstract onOpinions(listener: (edgeId: string, opinions: readonly OriginOpinion[]) => void): void;

  /** Asks the edges of this replica about these origins, and no longer about any other. */
  abstract ask(origins: readonly string[]): void;
}
