/** A domain after a round, and what it should be. */
export interface Standing {
  readonly name: string;
  readonly state: string;
  readonly generation: number;
  /** Whether its DNS was looked at, with something to say of it. */
  readonly looked: boolean;
  /** Whether its DNS says that it is ours. */
  readonly isMine: boolean;
  readonly history: readonly { readonly from: string | null; readonly to: string }[];
}

/** Whether the domain is what its DNS says. */
export function isAsDnsSays({ isMine, state, looked }: Standing): boolean {
  return isMine ? state === 'verified' : state === 'awaiting_dns' && looked;
}

export interface Judgement {
  /** Whether the work on it, or a line of its history, is missing. */
  readonly isLost: boolean;
  /** How often a change of state was made, or a generation begun, beyond the one time. */
  readonly duplicated: number;
  readonly seen: readonly string[];
}

const begun = 'nothing → awaiting_dns';
const verified = 'awaiting_dns → verified';

/** One line for each change of state, no more and no less, and one generation for each that begins one. */
export function evaluateDomain(standing: Standing): Judgement {
  const { name, state, generation, looked, history } = standing;
  const moves = history.filter(({ from, to }) => from !== to).map(({ from, to }) => `${from ?? 'nothing'} → ${to}`);
  const expected = state === 'verified' ? [begun, verified] : [begun];
  const missing = expected.filter((move) => !moves.includes(move)).length;
  const repeated = moves.length - (expected.length - missing);
  const isRight = isAsDnsSays(standing);
  return {
    isLost: !isRight || missing > 0 || generation < expected.length,
    duplicated: Math.max(repeated, generation - expected.length, 0),
    seen: [
      ...(isRight ? [] : [`${name} is ${state}${looked ? '' : ' and was not looked at'}`]),
      ...(moves.join() === expected.join() ? [] : [`${name} is ${state} by ${moves.join(', ')}`]),
      ...(generation === expected.length ? [] : [`${name} is ${state} in generation ${generation}`]),
    ],
  };
}
