import type { NewOrigin, Origin, OriginOpinion, OriginTest } from '@pets/contracts';
import type { OriginHealth } from '@pets/domains';
import type { OriginResult } from '@pets/persistence';

/** The application of a project, as stored. */
export interface OriginRow {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
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

/** State of an origin by the votes of the edges, as stored. */
export interface StoredHealth extends OriginHealth {
  /** Null while it is reachable. */
  readonly failure: OriginOpinion['failure'];
}

/** The origin as the API returns it. @param health null: no edge has ever said that it fails */
export function presentOrigin(row: OriginRow, health: StoredHealth | null): Origin {
  const { id, projectId, url, hostHeader, timeouts, headerNames: headers, metadataKeys: metadata } = row;
  const { maxConnections, testResult: result } = row;
  return {
    ...{ id, projectId, url, hostHeader, timeouts, headers, metadata, maxConnections },
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
