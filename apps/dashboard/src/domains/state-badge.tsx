import type { Domain, DomainState } from '@pets/contracts';
import { Badge } from '@mantine/core';
import { strings } from '../strings.js';

const colors = {
  awaiting_dns: 'yellow',
  verified: 'blue',
  live: 'green',
  removed: 'gray',
} as const satisfies Record<DomainState, string>;

/** The state of a domain, in words first. */
export function StateBadge({ domain }: { readonly domain: Pick<Domain, 'state' | 'misconfigured'> }) {
  return (
    <Badge
      variant="light"
      color={domain.misconfigured ? 'red' : colors[domain.state]}
      tt="none"
      className="state-badge"
    >
      {stateText(domain)}
    </Badge>
  );
}

export function stateText({ state, misconfigured }: Pick<Domain, 'state' | 'misconfigured'>): string {
  return misconfigured ? strings.misconfigured : strings.states[state];
}
