import type { DomainIssue } from '@pets/contracts';
import { describeIssue } from '../issues/describe-issue.js';
import type { CaAccountRef } from './ca-accounts.js';
import { describeLimit } from './ca-limits.js';
import type { CaSelection, CertificateSubject, PossibleOrder } from './ca-selection.js';
import { chooseCa, type CaChoice } from './choose-ca.js';
import type { OrderRank } from './order-queue.js';

interface PlannedOrder extends PossibleOrder, CaAccountRef {
  readonly thumbprint: string | null;
  readonly nameUses: number | null;
}

/** What becomes of some attempts. */
export interface OrderDecisions<A> {
  readonly orders: readonly (PlannedOrder & { readonly attempt: A })[];
  /** Attempts that wait for a slot of an account, or for the end of its pause. */
  readonly queued: readonly (CaAccountRef & { readonly attempt: A; readonly rank: OrderRank })[];
  /** Attempts that wait until their registered domain is below the limit of a CA; the issue is for the owner. */
  readonly parked: readonly {
    readonly attempt: A;
    readonly directoryUrl: string;
    readonly rank: OrderRank;
    readonly until: Date;
    readonly issue: DomainIssue;
  }[];
  /** Attempts for which no CA can be used before a time that concerns them alone. */
  readonly refusals: readonly { readonly attempt: A; readonly until: Date; readonly issue: DomainIssue }[];
}

/** Decides one attempt after another; each order counts towards the limits for the next. */
export function decideOrders<A extends CertificateSubject>(
  attempts: readonly A[],
  selection: CaSelection,
  now: Date,
): OrderDecisions<A> {
  const orders: OrderDecisions<A>['orders'][number][] = [];
  const queued: OrderDecisions<A>['queued'][number][] = [];
  const parked: OrderDecisions<A>['parked'][number][] = [];
  const refusals: OrderDecisions<A>['refusals'][number][] = [];
  for (const attempt of attempts) {
    const choice = chooseCa(selection.candidatesFor(attempt), now);
    const { directoryUrl, account } = choice.candidate;
    const ref = { directoryUrl, account };
    if (choice.kind === 'chosen') {
      const nameUses = selection.usesWith(attempt, ref);
      const thumbprint = selection.thumbprintOf(ref);
      orders.push({ attempt, ...ref, thumbprint, ...selection.orderFor(attempt, ref), nameUses });
      selection.reserve(attempt, ref);
      continue;
    }
    const rank = selection.rankOf(attempt);
    const { by, until } = choice;
    const issue = describeRefusal(choice, attempt);
    switch (by) {
      case 'account':
        queued.push({ attempt, ...ref, rank });
        selection.enqueue(ref);
        break;
      case 'registered_domain':
        parked.push({ attempt, directoryUrl, rank, until, issue });
        break;
      case 'name':
        refusals.push({ attempt, until, issue });
    }
  }
  return { orders, queued, parked, refusals };
}

function describeRefusal(
  { candidate: { budget, directoryUrl }, until }: Extract<CaChoice, { kind: 'deferred' }>,
  subject: CertificateSubject,
): DomainIssue {
  const isOfLimit = !budget.allowed && budget.until >= until;
  const detail = isOfLimit
    ? describeLimit(budget.limit, subject)
    : `${new URL(directoryUrl).hostname} asks for a pause`;
  return describeIssue('ca_rate_limited', { detail, until: until.toISOString() });
}
