import type { DomainIssue } from '@pets/contracts';
import { chooseCa, describeIssue, describeLimit, type CaCandidate, type OrderRank } from '@pets/domains';
import type { CaSelection, PossibleOrder } from './ca-selection.js';
import type { CertificateSubject } from './certificate-attempts.repository.js';

interface PlannedOrder extends PossibleOrder {
  readonly directoryUrl: string;
  readonly nameUses: number | null;
}

/** What becomes of some attempts. */
export interface OrderDecisions<A> {
  readonly orders: readonly (PlannedOrder & { readonly attempt: A })[];
  /** Attempts that wait for a slot of the account at a directory. */
  readonly queued: readonly { readonly attempt: A; readonly directoryUrl: string; readonly rank: OrderRank }[];
  /** Attempts for which no CA can be used before a known time. */
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
  const refusals: OrderDecisions<A>['refusals'][number][] = [];
  for (const attempt of attempts) {
    const choice = chooseCa(selection.candidatesFor(attempt), now);
    if (choice.kind === 'chosen') {
      const { directoryUrl } = choice;
      const nameUses = selection.usesWith(attempt, directoryUrl);
      orders.push({ attempt, directoryUrl, ...selection.orderFor(attempt, directoryUrl), nameUses });
      selection.reserve(attempt, directoryUrl);
    } else if (waitsForSlot(choice.candidate)) {
      const { directoryUrl } = choice.candidate;
      queued.push({ attempt, directoryUrl, rank: selection.rankOf(attempt) });
      selection.enqueue(directoryUrl);
    } else {
      const { until, candidate } = choice;
      refusals.push({ attempt, until, issue: describeRefusal(candidate, until, attempt) });
    }
  }
  return { orders, queued, refusals };
}

/** Whether the account has no slot for the order, and nothing else is in its way for longer. */
function waitsForSlot({ budget, retryAt }: CaCandidate): boolean {
  return !budget.allowed && budget.limit.kind === 'orders' && (retryAt === null || retryAt <= budget.until);
}

function describeRefusal({ budget, directoryUrl }: CaCandidate, until: Date, subject: CertificateSubject): DomainIssue {
  const detail = budget.allowed
    ? `${new URL(directoryUrl).hostname} asks for a pause`
    : describeLimit(budget.limit, subject);
  return describeIssue('ca_rate_limited', { detail, until: until.toISOString() });
}
