import type { SuspensionCause, SuspensionScope } from '@pets/contracts';

export const suspensionStrings = {
  title: {
    organization: 'Your organization is suspended',
    project: 'This project is suspended',
    domain: 'This domain is suspended',
  } satisfies Record<SuspensionScope, string>,
  planTitle: 'Custom domains are suspended',
  text: {
    operator: (reason, since) =>
      `Since ${since}: ${reason}. Visitors get 410. You can read everything and change nothing; contact the operator.`,
    plan: (reason, since) => `Since ${since}: ${reason}. Visitors of the custom domains get 410. Upgrade the plan.`,
    blocked_name: (reason, since) => `Since ${since}: ${reason}. Visitors get 410; contact the operator.`,
  } satisfies Record<SuspensionCause, (reason: string, since: string) => string>,
};
