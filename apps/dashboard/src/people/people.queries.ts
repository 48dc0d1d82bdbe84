import type { ApiKey, Invitation, Person } from '@pets/contracts';
import type { QueryClient } from '@tanstack/react-query';
import { api, dataOf, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';
import { organizationQuery } from '../projects/projects.queries.js';

export const peopleQuery = pagedQuery<Person>(['people'], (query, signal) =>
  resultOf(api().GET('/v1/people', { params: { query }, signal })),
);

export const invitationsQuery = pagedQuery<Invitation>(['invitations'], (query, signal) =>
  resultOf(api().GET('/v1/invitations', { params: { query }, signal })),
);

/** Keys that the dialog of a removal lists. */
export const SHOWN_KEYS = 20;

/** The first valid keys that a person made, or that were made with them, and one more. */
export function keysOfPersonQuery(personId: string) {
  const query = { personId, state: 'valid', limit: SHOWN_KEYS + 1 } as const;
  return {
    queryKey: ['api-keys', 'of-person', personId],
    queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<readonly ApiKey[]> =>
      dataOf(api().GET('/v1/api-keys', { params: { query }, signal })),
  };
}

/** The change may be about the person who made it. */
export async function invalidatePeople(queryClient: QueryClient): Promise<void> {
  await Promise.all(
    [['people'], ['invitations'], organizationQuery.queryKey].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  );
}

/** Name of a person in a list. */
export function nameOf({ name, email }: Pick<Person, 'name' | 'email'>, unnamed: string): string {
  return name ?? email ?? unnamed;
}
