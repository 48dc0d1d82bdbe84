/** What domains ask of the edges, of which they know nothing else. `edge` implements both. */
import type { Database, Tx } from '@pets/persistence';

/** The versioned feed that the edges read. */
export abstract class EdgeFeed {
  /** What the edges answer challenges with; null while there is no ACME account. */
  abstract head(): Promise<{ readonly thumbprint: string | null }>;

  /** @returns whether this announcement is the newest */
  abstract setThumbprint(tx: Tx, thumbprint: string, announcedAt: Date): Promise<boolean>;

  /** The newest version that says something about any of some hosts; 0 when none does. */
  abstract versionOf(hosts: readonly string[]): Promise<number>;

  /** The newest version that says something about any host of some projects; 0 when none does. */
  abstract versionOfProjects(tx: Tx, projectIds: readonly string[]): Promise<number>;

  /** Edges that can be asked to show a certificate. */
  abstract listReachable(): Promise<{ edgeId: string; address: string }[]>;
}

/** Which versions of the feed the edges have applied. */
export abstract class EdgeAcknowledgements {
  /** How many edges may still serve what a version ended; 0 means that traffic has stopped. */
  abstract countPending(version: number, db?: Database): Promise<number>;

  /** The version that every edge has applied which may still serve: what was ended up to it is served nowhere. */
  abstract appliedEverywhere(): Promise<bigint>;

  /** Waits until no edge is pending, or the time is over. Returns how many are left. */
  abstract waitUntilStopped(version: number, limitMs: number): Promise<number>;

  /** Waits until the edges that can be reached have applied a version, or the time is over. */
  abstract waitUntilKnown(version: number, limitMs: number): Promise<void>;
}
