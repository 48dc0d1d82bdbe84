/** The interfaces to edges that domains own, and that the module `edge` implements. */
import type { DomainEvents } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import type { ProbeCandidate } from '@pets/domains';

/** The versioned feed that the edges read. */
export abstract class EdgeFeed {
  /** The thumbprint for answers to challenges: of the key of our accounts at CAs; null while there is none. */
  abstract head(db?: Database): Promise<{ readonly thumbprint: string | null }>;

  /** @returns whether this announcement is the newest */
  abstract setThumbprint(tx: Tx, thumbprint: string, announcedAt: Date): Promise<boolean>;

  /** The newest version that changed a route of some hosts; 0 when there is none. */
  abstract versionOf(hosts: readonly string[]): Promise<number>;

  /** The newest version that changed a route of some projects; 0 when there is none. */
  abstract versionOfProjects(tx: Tx, projectIds: readonly string[]): Promise<number>;
}

/** The issued certificate of `*.<platform domain>`, which the feed names. */
export abstract class PlatformCertificateFeed {
  /** Call it last in a transaction, since it locks the counter of the feed. */
  abstract publish(tx: Tx, id: string): Promise<void>;
}

/** Results of probes of the edges. */
export abstract class EdgeProbes {
  /** The edges that can be probed, in order of their ids. @param version of the feed that an up-to-date edge has applied */
  abstract listCandidates(version: number): Promise<ProbeCandidate[]>;

  /** Counts the failures of edges that did not present a certificate which other edges presented. */
  abstract record(probed: DomainEvents['edges.probed']): Promise<void>;
}

/** Reports of edges about hosts that are prepared for a switch of their DNS. */
export abstract class EdgeHandshakes {
  /** Calls a listener with the hosts for which an edge of this replica has had a handshake. */
  abstract onReported(listener: (hosts: readonly string[]) => void): void;
}

/** How long a removal waits for the edges before its response is that some are pending. */
export const REMOVAL_WAIT_MS = 1_000;

/** Versions of the feed that the edges have applied. */
export abstract class EdgeAcknowledgements {
  /** The number of edges that may still serve a route that a version ended; 0 means that traffic has stopped. */
  abstract countPending(version: number, db?: Database): Promise<number>;

  /** The version that every edge that may still serve has applied: no edge serves a route that ended up to it. */
  abstract appliedEverywhere(): Promise<bigint>;

  /** Waits until no edge is pending, or the time is over. @returns the number of pending edges */
  abstract waitUntilStopped(version: number, limitMs: number): Promise<number>;

  /** Waits until the reachable edges have applied a version, or the time is over; not for edges that a wait was too short for. */
  abstract waitUntilKnown(version: number, limitMs: number): Promise<void>;
}
