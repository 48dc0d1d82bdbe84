import type { Tx } from '@pets/persistence';
import type { ProjectRow } from './projects.repository.js';

/**
 * Brings what the edges serve in line with projects. Called at the end of every transaction that changed a project, its
 * deployments, its configuration or one of its domains. `edge` implements it; projects and domains know no more of the edges
 * than this.
 */
export abstract class RoutePublisher {
  /**
   * Several projects are brought in line in one version: a host that moves from one to the other changes hands at once.
   * @param traces of changes that are made together and are no one's request, by host
   * @returns the feed version that holds the change, or null when there was none
   */
  abstract publish(
    tx: Tx,
    projects: readonly ProjectRow[],
    traces?: ReadonlyMap<string, string | null>,
  ): Promise<number | null>;
}
