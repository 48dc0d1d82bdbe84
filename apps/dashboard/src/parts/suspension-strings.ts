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
      `Since ${since}: ${reason}. Visitors receive HTTP 410, and your data is read-only. Contact the platform operator.`,
    plan: (reason, since) =>
      `Since ${since}: ${reason}. Visitors of the custom domains receive HTTP 410. Upgrade your plan.`,
    blocked_name: (reason, since) =>
      `Since ${since}: ${reason}. Visitors receive HTTP 410. Contact the platform operator.`,
  } satisfies Record<SuspensionCause, (reason: string, since: string) => string>,
};
