import type { CaLimit, LimitRefusal } from './ca-limits.js';

/** A CA and its state for one domain. */
export interface CaCandidate {
  readonly directoryUrl: string;
  /** Failed attempts that the CA caused, since the last certificate. */
  readonly failures: number;
  /** The time until which the CA refuses this domain; null if it named none. */
  readonly retryAt: Date | null;
  /** The time until which the CA refuses all our orders. */
  readonly accountPausedUntil: Date | null;
  /** The time until which the CA refuses all names below the registered domain. */
  readonly apexPausedUntil: Date | null;
  /** Limits that allow no order now. */
  readonly refusals: readonly LimitRefusal[];
}

/**
 * Reason why an order waits: other orders of our account, other names below the registered domain, or a time of its own.
 */
export type Blocker = 'account' | 'registered_domain' | 'name';

interface Block {
  readonly until: Date;
  readonly by: Blocker;
  /** Null for a pause that the CA asked for. */
  readonly limit: CaLimit | null;
}

export type CaChoice =
  | { readonly kind: 'chosen'; readonly candidate: CaCandidate }
  | ({ readonly kind: 'deferred'; readonly candidate: CaCandidate } & Block);

/**
 * Chooses the CA for the next order: among those that may be used now, the one with the fewest failures for this domain, and
 * the first one among equals. So a failing CA is replaced immediately, and while all fail, each is tried in turn. An issued
 * certificate resets the counts. Failures that the owner caused do not count: they would occur at every CA.
 *
 * Without one, the soonest is returned, with what the order waits for: the longest block. An order that waits for its
 * registered domain and for a slot waits for the registered domain first, since it would not use the slot.
 * @param candidates in the order of preference, at least one
 * @throws Error without candidates
 */
export function chooseCa(candidates: readonly CaCandidate[], now: Date): CaChoice {
  const known = candidates.map((candidate) => ({ candidate, blocks: blocksOf(candidate, now) }));
  const free = known.filter(({ blocks }) => blocks.length === 0).map(({ candidate }) => candidate);
  const [best] = free.toSorted((one, other) => one.failures - other.failures);
  if (best !== undefined) return { kind: 'chosen', candidate: best };
  const blocked = known.flatMap(({ candidate, blocks }) =>
    blocks.slice(0, 1).map((longest) => ({ candidate, longest, blocks })),
  );
  const [soonest] = blocked.toSorted((one, other) => one.longest.until.getTime() - other.longest.until.getTime());
  if (soonest === undefined) throw new Error('no CA is configured');
  const { candidate, longest, blocks } = soonest;
  const ofApex = longest.by === 'account' ? blocks.find(({ by }) => by === 'registered_domain') : undefined;
  return { kind: 'deferred', candidate, ...(ofApex ?? longest) };
}

/** Whether another CA has fewer failures for this domain than the one that failed, and may be used now. @param failed its directory */
export function hasOtherCa(candidates: readonly CaCandidate[], failed: string, now: Date): boolean {
  const failures = candidates.find(({ directoryUrl }) => directoryUrl === failed)?.failures ?? Infinity;
  return candidates.some((other) => other.failures < failures && isFree(other, now));
}

function isFree(candidate: CaCandidate, now: Date): boolean {
  return blocksOf(candidate, now).length === 0;
}

/** Returns everything that prevents an order now, the longest first. */
function blocksOf({ retryAt, accountPausedUntil, apexPausedUntil, refusals }: CaCandidate, now: Date): Block[] {
  const blocks: readonly Block[] = [
    ...refusals.map(({ limit, until }) => ({ until, by: blockerOf[limit.kind], limit })),
    { until: accountPausedUntil ?? now, by: 'account', limit: null },
    { until: apexPausedUntil ?? now, by: 'registered_domain', limit: null },
    { until: retryAt ?? now, by: 'name', limit: null },
  ];
  return blocks
    .filter(({ until }) => until > now)
    .toSorted((one, other) => other.until.getTime() - one.until.getTime());
}

const blockerOf = {
  orders: 'account',
  registered_domain: 'registered_domain',
  exact_set: 'name',
  failures: 'name',
} as const satisfies Record<string, Blocker>;
