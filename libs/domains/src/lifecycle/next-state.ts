import type { DomainState } from '@pets/contracts';

/** Every change of state there is. What is not listed does not happen. */
const nextStates = {
  awaiting_dns: { 'dns.matched': 'verified', 'owner.removed': 'removed' },
  verified: { 'certificate.served': 'live', 'owner.removed': 'removed', 'owner.lost': 'removed' },
  live: { 'owner.removed': 'removed', 'owner.lost': 'removed' },
  removed: {},
} as const satisfies Record<DomainState, Partial<Record<string, DomainState>>>;

export type StateTrigger = 'dns.matched' | 'certificate.served' | 'owner.removed' | 'owner.lost';

/** The state a trigger leads to, or undefined when it changes none. */
export function nextState(state: DomainState, trigger: StateTrigger): DomainState | undefined {
  const moves: Partial<Record<StateTrigger, DomainState>> = nextStates[state];
  return moves[trigger];
}
