import { AsyncLocalStorage } from 'node:async_hooks';
import { afterMs, FairSemaphore, type Release } from '@pets/async';
import { RequestError, type DependencyUnavailable } from '@pets/platform';

/** Connections of the pool that requests leave to everything else, such as events, dispatch and edges. */
const RESERVED = 2;
/** The part of the pool that one tenant's requests may have. */
const TENANTS_PART = 4;
/** How long a request waits for a connection of its tenant's share. */
const WAIT_MS = 2_000;
/** Statements of one tenant that may wait. Running requests are bounded before, and few run several statements at a time. */
const MAX_WAITING = 1_000;

interface TenantContext {
  readonly tenant: string;
  readonly isInTransaction: boolean;
  readonly progress: { hasChanged: boolean };
}

const current = new AsyncLocalStorage<TenantContext>();

/** Lets everything that `work` starts use the connections of one tenant's share, including asynchronously. */
export function asTenant<T>(tenant: string, work: () => T): T {
  return current.run({ tenant, isInTransaction: false, progress: { hasChanged: false } }, work);
}

/** Runs work that serves all tenants, also where a request of one starts it. */
export function outsideTenants<T>(work: () => T): T {
  return current.exit(work);
}

/** Marks the work of a transaction: its request holds a connection. */
export function insideTransaction<T>(work: () => T): T {
  const context = current.getStore();
  return context === undefined ? work() : current.run({ ...context, isInTransaction: true }, work);
}

/** Marks that a transaction of the current request has committed: it can no longer be refused as if nothing had happened. */
export function markChanged(): void {
  const context = current.getStore();
  if (context !== undefined) context.progress.hasChanged = true;
}

/** All connections of the pool are alike. */
const KEY = 'pool';

const nothing: Release = () => undefined;

/**
 * Shares the connections of a pool. The requests of one tenant have at most a quarter of them, and at least one; those of
 * all tenants leave two. Work outside of a tenant's request is not limited here. A request waits before it has a
 * connection, so that those that wait cost the others nothing.
 */
export class ConnectionShares {
  readonly #semaphore: FairSemaphore;

  constructor(poolSize: number) {
    this.#semaphore = new FairSemaphore({
      limit: Math.max(1, poolSize - RESERVED),
      groupLimit: Math.max(1, Math.floor(poolSize / TENANTS_PART)),
      waitingLimit: MAX_WAITING,
    });
  }

  /**
   * Waits for the tenant's turn. A request that has changed something goes on without it when the wait is over: a client that
   * is refused sends it again. @returns the function to call when the connection is given back
   * @throws RequestError `concurrency_limited` when the share was not free in time, and nothing was changed
   * @throws DependencyUnavailable when PostgreSQL went silent meanwhile
   * @throws Error when the request holds a connection: with a share of one it would wait for itself
   */
  async enter(): Promise<Release> {
    const context = current.getStore();
    if (context === undefined) return nothing;
    if (context.isInTransaction) throw new Error('a statement of a request was sent beside its open transaction');
    const release = await this.#semaphore.acquire(KEY, context.tenant, afterMs(WAIT_MS));
    if (release === null && !context.progress.hasChanged) throw RequestError.ofConcurrency();
    return release ?? nothing;
  }

  /** Rejects those that wait: after their wait, a silent PostgreSQL would let them wait once more. */
  rejectWaiting(error: DependencyUnavailable): void {
    this.#semaphore.rejectWaiting(KEY, error);
  }
}
