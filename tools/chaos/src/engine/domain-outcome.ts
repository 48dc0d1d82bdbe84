/** A domain after a round, with the state that its DNS requires. */
export interface DomainOutcome {
  readonly name: string;
  readonly state: string;
  readonly generation: number;
  /** Whether a DNS check has reported issues. */
  readonly checked: boolean;
  /** Whether its DNS points at us. */
  readonly isMine: boolean;
  readonly history: readonly { readonly from: string | null; readonly to: string }[];
}

/** Whether the state of the domain matches its DNS. */
export function matchesDns({ isMine, state, checked }: DomainOutcome): boolean {
  return isMine ? state === 'verified' : state === 'awaiting_dns' && checked;
}

export interface Evaluation {
  /** Whether its state or a line of its history is missing. */
  readonly isLost: boolean;
  /** The number of repeated state changes or generations. */
  readonly duplicated: number;
  readonly seen: readonly string[];
}

const begun = 'nothing → awaiting_dns';
const verified = 'awaiting_dns → verified';

/** Requires exactly one line of history for each state change, and one generation for each change that starts one. */
export function evaluateDomain(outcome: DomainOutcome): Evaluation {
  const { name, state, generation, checked, history } = outcome;
  const moves = history.filter(({ from, to }) => from !== to).map(({ from, to }) => `${from ?? 'nothing'} → ${to}`);
  const expected = state === 'verified' ? [begun, verified] : [begun];
  const missing = expected.filter((move) => !moves.includes(move)).length;
  const repeated = moves.length - (expected.length - missing);
  const isRight = matchesDns(outcome);
  return {
    isLost: !isRight || missing > 0 || generation < expected.length,
    duplicated: Math.max(repeated, generation - expected.length, 0),
    seen: [
      ...(isRight ? [] : [`${name} is ${state}${checked ? '' : ' and was not checked'}`]),
      ...(moves.join() === expected.join() ? [] : [`${name} is ${state} by ${moves.join(', ')}`]),
      ...(generation === expected.length ? [] : [`${name} is ${state} in generation ${generation}`]),
    ],
  };
}
