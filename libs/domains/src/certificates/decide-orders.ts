import type { DomainIssue } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import { describeLimit, isCounted } from './ca-limits.js';
import type { CaSelection, CertificateSubject, PossibleOrder } from './ca-selection.js';
import { chooseCa, type CaChoice } from './choose-ca.js';
import type { OrderRank } from './order-queue.js';

interface PlannedOrder extends PossibleOrder {
  readonly directoryUrl: string;
  readonly nameUses: number | null;
}

/** An attempt that joins the queue. */
interface WaitingOrder<A> {
  readonly attempt: A;
  readonly directoryUrl: string;
  readonly rank: OrderRank;
  /** Whether the CA counts it towards the limit of its registered domain. */
  readonly isNew: boolean;
}

/** Decision for each attempt of a batch. */
export interface OrderDecisions<A> {
  readonly orders: readonly (PlannedOrder & { readonly attempt: A })[];
  /** Attempts that wait for a slot of a CA, or for the end of its pause. */
  readonly queued: readonly WaitingOrder<A>[];
  /** Attempts that first wait until their registered domain is below the limit of a CA; the issue is for the owner. */
  readonly parked: readonly (WaitingOrder<A> & { readonly until: Date; readonly issue: DomainIssue })[];
  /** Attempts for which no CA can be used before a time that concerns them alone. */
  readonly refusals: readonly { readonly attempt: A; readonly until: Date; readonly issue: DomainIssue }[];
}

/**
 * Decides one attempt after another; each order, and each that waits for a slot, counts towards the limits for the next.
 * @param isPrepared whether an attempt can be ordered now; others wait for a slot instead, as they will have it soon
 */
export function decideOrders<A extends CertificateSubject>(
  attempts: readonly A[],
  selection: CaSelection,
  now: Date,
  isPrepared: (attempt: A) => boolean = () => true,
): OrderDecisions<A> {
  const orders: OrderDecisions<A>['orders'][number][] = [];
  const queued: OrderDecisions<A>['queued'][number][] = [];
  const parked: OrderDecisions<A>['parked'][number][] = [];
  const refusals: OrderDecisions<A>['refusals'][number][] = [];
  for (const attempt of attempts) {
    const choice = chooseCa(selection.candidatesFor(attempt), now);
    const { directoryUrl } = choice.candidate;
    const order = selection.orderFor(attempt, directoryUrl);
    const rank = selection.rankOf(attempt);
    const waiting = { attempt, directoryUrl, rank, isNew: isCounted('registered_domain', order) };
    if (choice.kind === 'chosen' && isPrepared(attempt)) {
      orders.push({ attempt, directoryUrl, ...order, nameUses: selection.usesWith(attempt, directoryUrl) });
      selection.reserve(attempt, directoryUrl);
    } else if (choice.kind === 'chosen' || choice.by === 'account') {
      queued.push(waiting);
      selection.enqueue(attempt, directoryUrl);
    } else {
      const { until } = choice;
      const issue = describeRefusal(choice, attempt);
      if (choice.by === 'registered_domain') parked.push({ ...waiting, until, issue });
      else refusals.push({ attempt, until, issue });
    }
  }
  return { orders, queued, parked, refusals };
}

function describeRefusal(
  { candidate, limit, until }: Extract<CaChoice, { kind: 'deferred' }>,
  subject: CertificateSubject,
): DomainIssue {
  const { hostname } = new URL(candidate.directoryUrl);
  const detail = limit === null ? `${hostname} asks for a pause` : describeLimit(limit, subject);
  return describeIssue('ca_rate_limited', { detail, until: until.toISOString() });
}
