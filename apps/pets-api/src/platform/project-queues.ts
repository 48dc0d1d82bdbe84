import { Injectable } from '@nestjs/common';
import { afterMs, FairSemaphore, type Release } from '@pets/async';
import { DependencyUnavailable, RequestError } from '@pets/platform';

const WAIT_MS = 2_000;
const MAX_WAITING = 1_000;

/**
 * Requests of this replica that change one project, one after the other. They would wait for the lock of its row anyway; here
 * they wait without a connection, so that those to one project do not use up the organization's share.
 */
@Injectable()
export class ProjectQueues {
  private readonly queues = new FairSemaphore({ limit: 1, waitingLimit: MAX_WAITING });

  /**
   * Runs work when it is its turn in each of the projects, which are taken in the order of their ids.
   * @throws RequestError `concurrency_limited` when the wait for one of them takes too long
   * @throws DependencyUnavailable also when the work before it failed so: a silent database would let each wait in turn
   */
  async run<T>(projectIds: readonly string[], work: () => Promise<T>): Promise<T> {
    const taken = new Map<string, Release>();
    try {
      for (const id of [...new Set(projectIds.map((each) => each.toLowerCase()))].sort()) {
        const release = await this.queues.acquire(id, '', afterMs(WAIT_MS));
        if (release === null) throw RequestError.ofConcurrency();
        taken.set(id, release);
      }
      return await work();
    } catch (error) {
      if (error instanceof DependencyUnavailable) for (const id of taken.keys()) this.queues.rejectWaiting(id, error);
      throw error;
    } finally {
      for (const release of taken.values()) release();
    }
  }
}
