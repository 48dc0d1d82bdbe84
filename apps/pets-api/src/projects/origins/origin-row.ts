import { originRow, type NewOrigin, type Origin, type OriginOpinion, type OriginTest } from '@pets/contracts';
import type { OriginHealth } from '@pets/domains';
import type { OriginResult } from '@pets/persistence';
import type { ProjectRow } from '../projects.repository.js';
import type { RouteChange } from '../route-publisher.js';

/** The project whose visitors an application answers, or the one domain of it. */
export interface OriginOwner {
  readonly projectId: string;
  /** Null: the project. */
  readonly domainId: string | null;
}

/** The application of a project or of a domain, as stored. */
export interface OriginRow extends OriginOwner {
  readonly id: string;
  readonly organizationId: string;
  readonly domainName: string | null;
  readonly url: string;
  readonly hostHeader: string | null;
  readonly timeouts: NewOrigin['timeouts'];
  readonly headerNames: readonly string[];
  /** Sealed JSON; empty without headers. */
  readonly sealedHeaders: string;
  readonly metadataKeys: readonly string[];
  readonly maxConnections: number;
  /** Number of the newest test. */
  readonly test: number;
  readonly testStartedAt: Date;
  readonly testSentAt: Date;
  readonly testResult: OriginResult | null;
  /** Time since which it answers visitors; null before a test has passed. */
  readonly servedSince: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Whether an application answered: any status but those that say that it cannot. */
export function hasPassed({ status }: Pick<OriginTest, 'status'>): boolean {
  return status !== null && status < 500;
}

/** A change of what only the row of the origin in the route table says. */
export function changeOfRow(project: ProjectRow, { id }: Pick<OriginRow, 'id'>): RouteChange {
  return { project, names: [originRow(id)] };
}

/** A change of whether hosts name the origin, or of what their routes say for it. */
export function changeOfHosts(
  project: ProjectRow,
  { id, domainName }: Pick<OriginRow, 'id' | 'domainName'>,
): RouteChange {
  return domainName === null ? { project } : { project, names: [originRow(id), domainName] };
}

/** State of an origin by the votes of the edges, as stored. */
export interface StoredHealth extends OriginHealth {
  /** Null while it is reachable. */
  readonly failure: OriginOpinion['failure'];
}

/** The origin as the API returns it. @param health null: no edge has ever said that it fails */
export function presentOrigin(row: OriginRow, health: StoredHealth | null): Origin {
  const { id, projectId, domainId, url, hostHeader, timeouts } = row;
  const { headerNames: headers, metadataKeys: metadata, maxConnections, testResult: result } = row;
  return {
    ...{ id, projectId, domainId, url, hostHeader, timeouts, headers, metadata, maxConnections },
    state: row.servedSince !== null ? 'serving' : result === null ? 'testing' : 'failed',
    test: {
      startedAt: row.testStartedAt.toISOString(),
      finishedAt: result?.finishedAt ?? null,
      passed: result === null ? null : hasPassed(result),
      status: result?.status ?? null,
      failure: result?.failure ?? null,
      address: result?.address ?? null,
      durationMs: result?.durationMs ?? null,
    },
    health: row.servedSince && presentHealth(health, row.servedSince),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function presentHealth(health: StoredHealth | null, servedSince: Date): Origin['health'] {
  const { state = 'reachable', since = null, failure = null } = health ?? {};
  return { state, since: (since ?? servedSince).toISOString(), failure: state === 'failing' ? failure : null };
}
