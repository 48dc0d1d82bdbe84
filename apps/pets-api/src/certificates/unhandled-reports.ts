import { Inject, Injectable } from '@nestjs/common';
import { domainJobs } from '@pets/contracts';
import type { Messaging } from '@pets/messaging';
import { MESSAGING } from '../platform/providers.js';

const { leaseMs } = domainJobs['issue-certificate'];

/** After this, a lost attempt is taken for lost even if events still wait. */
const MAX_EVENT_DELAY_MS = 10 * 60_000;

/**
 * Reports of orders that the worker has sent and this API has not handled: they wait, a replica that died had taken them, or
 * their handler failed and is tried again. Until then their attempts look lost, and a second order would be finalized.
 */
@Injectable()
export class UnhandledReports {
  constructor(@Inject(MESSAGING) private readonly messaging: Pick<Messaging, 'oldestEvent'>) {}

  /** Those of some lost attempts that an event may be about: the worker sends none after the lease of an attempt. */
  async findPossible<A extends { readonly createdAt: Date }>(attempts: readonly A[], now: Date): Promise<Set<A>> {
    const recent = attempts.filter(({ createdAt }) => now.getTime() - createdAt.getTime() <= MAX_EVENT_DELAY_MS);
    const since = recent.length === 0 ? null : await this.messaging.oldestEvent();
    if (since === null) return new Set();
    return new Set(recent.filter(({ createdAt }) => since.getTime() < createdAt.getTime() + leaseMs));
  }
}
