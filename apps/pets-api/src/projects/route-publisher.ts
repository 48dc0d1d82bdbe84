import type { DomainConfig } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import type { ProjectRow } from './projects.repository.js';

/** A change of a project that its routes may depend on. */
export interface RouteChange {
  readonly project: ProjectRow;
  /** Names of the domains that changed, in ASCII form. */
  readonly names?: readonly string[];
  /** Names of the channels that changed. With neither, the project itself changed, and with it every route. */
  readonly channels?: readonly string[];
  /** The configuration before, where entries of these names were removed from it or added to it. */
  readonly previousConfig?: DomainConfig;
}

/**
 * Publishes the routes of projects to the edges. Called at the end of every transaction that changes a project, its
 * deployments, its configuration or one of its domains. The module `edge` implements it, so that projects and domains do not
 * depend on edges.
 */
export abstract class RoutePublisher {
  /**
   * Several projects are published under one version, so that a host moves from one to another atomically.
   * @param changes at most one a project
   * @param traces by host, for changes that were batched and belong to no request
   * @returns the feed version with the change, or null when nothing changed
   */
  abstract publish(
    tx: Tx,
    changes: readonly RouteChange[],
    traces?: ReadonlyMap<string, string | null>,
  ): Promise<number | null>;
}
