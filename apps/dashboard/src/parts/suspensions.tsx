import type { Project } from '@pets/contracts';
import { Alert } from '@mantine/core';
import { formatInstant } from '../format.js';
import { strings } from '../strings.js';

/** Why visitors get 410, one notice for each suspension. */
export function Suspensions({ of }: { readonly of: Project['suspensions'] }) {
  return of.map(({ scope, cause, reason, since }) => (
    <Alert
      key={`${scope} ${cause}`}
      color="red"
      variant="light"
      title={cause === 'plan' ? strings.suspensions.planTitle : strings.suspensions.title[scope]}
    >
      {strings.suspensions.text[cause](reason, formatInstant(since))}
    </Alert>
  ));
}
