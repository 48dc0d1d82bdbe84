/** A domain after a round in which it should have become live. */
export interface IssuedOutcome {
  readonly name: string;
  readonly state: string;
  /** What the product says of it. */
  readonly issue: string | null;
  /** The states it went to, in order. */
  readonly moves: readonly string[];
  /** How many certificates the CA gave for it, by the CA's own answers. */
  readonly certificates: number;
}

/** A queue or a CA that loses its data has lost the order, so that one more is allowed. */
const MOST_CERTIFICATES = 2;
const MOST_SEEN = 3;
const expected = ['awaiting_dns', 'verified', 'live'];

/**
 * Counts what was lost (domains that are not live, or whose history lacks a change of state) and what was done again:
 * changes of state beyond one of each, and certificates beyond the first of a name.
 */
export function evaluateIssued(outcomes: readonly IssuedOutcome[]): {
  readonly lost: number;
  readonly duplicated: number;
  readonly seen: readonly string[];
} {
  const late = outcomes.filter(({ state }) => state !== 'live');
  const moved = outcomes.filter(({ state, moves }) => state === 'live' && moves.join() !== expected.join());
  const excessive = outcomes.filter(({ certificates }) => certificates > MOST_CERTIFICATES);
  const incomplete = moved.filter(({ moves }) => expected.some((state) => !moves.includes(state)));
  const again = outcomes.map(
    ({ moves, certificates }) => moves.length - new Set(moves).size + Math.max(certificates - 1, 0),
  );
  const unlive = late.map(({ name, state, issue }) => `${name} is ${state}: ${issue ?? 'no issue'}`);
  return {
    lost: late.length + incomplete.length,
    duplicated: again.reduce((sum, count) => sum + count, 0),
    seen: [
      ...(late.length > 0 ? [`${late.length} domains are not live: ${unlive.slice(0, MOST_SEEN).join(', ')}`] : []),
      ...moved.slice(0, MOST_SEEN).map(({ name, moves }) => `${name} went ${moves.join(' → ')}`),
      ...excessive.slice(0, MOST_SEEN).map(({ name, certificates }) => `${name} has ${certificates} certificates`),
    ],
  };
}
