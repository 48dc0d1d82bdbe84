import type { Domain, DomainState } from '@pets/contracts';
import { Badge } from '@mantine/core';
import { strings } from '../strings.js';

const colors = {
  awaiting_dns: 'yellow',
  verified: 'blue',
  live: 'green',
  removed: 'gray',
} as const satisfies Record<DomainState, string>;

type Shown = Pick<Domain, 'state' | 'misconfigured' | 'suspensions'>;

/** The state of a domain, in words first. */
export function StateBadge({ domain }: { readonly domain: Shown }) {
  return (
    <Badge
      variant="light"
      color={domain.misconfigured || domain.suspensions.length > 0 ? 'red' : colors[domain.state]}
      tt="none"
      className="state-badge"
    >
      {stateText(domain)}
    </Badge>
  );
}

export function stateText({ state, misconfigured, suspensions }: Shown): string {
  if (suspensions.length > 0) return strings.suspended;
  return misconfigured ? strings.misconfigured : strings.states[state];
}
