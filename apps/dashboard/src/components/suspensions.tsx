import type { Project, SuspensionCause, SuspensionScope } from '@pets/contracts';
import { formatInstant } from '../format.js';
import { Notice } from './notice.js';

const text = {
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

/** One notice for each suspension. Visitors receive HTTP 410. */
export function Suspensions({ suspensions }: { readonly suspensions: Project['suspensions'] }) {
  return suspensions.map(({ scope, cause, reason, since }) => (
    <Notice key={`${scope} ${cause}`} tone="critical" title={cause === 'plan' ? text.planTitle : text.title[scope]}>
      {text.text[cause](reason, formatInstant(since))}
    </Notice>
  ));
}
