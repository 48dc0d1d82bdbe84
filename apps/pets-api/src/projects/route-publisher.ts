import type { Tx } from '@pets/persistence';
import type { ProjectRow } from './projects.repository.js';

/**
 * Publishes the routes of projects to the edges. Called at the end of every transaction that changes a project, its
 * deployments, its configuration or one of its domains. The module `edge` implements it, so that projects and domains do not
 * depend on edges.
 */
export abstract class RoutePublisher {
  /**
   * Several projects are published under one version, so that a host moves from one to another atomically.
   * @param traces by host, for changes that were batched and belong to no request
   * @returns the feed version with the change, or null when nothing changed
   */
  abstract publish(
    tx: Tx,
    projects: readonly ProjectRow[],
    traces?: ReadonlyMap<string, string | null>,
  ): Promise<number | null>;
}
