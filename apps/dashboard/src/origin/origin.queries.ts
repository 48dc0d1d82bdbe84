import { originRequests, type OriginPlace } from '@pets/client';
import type { Origin } from '@pets/contracts';
import { queryOptions, type QueryFilters } from '@tanstack/react-query';
import { api, dataOf, isMissing } from '../api/api.js';

/** While a test is open, it is read so often: an edge answers within seconds. */
const TESTING_MS = 1_000;
/** From the start of a test; afterwards no edge will answer. */
const TEST_LIMIT_MS = 30_000;

export const requestsOf = (place: OriginPlace) => originRequests(api(), place);

/** The application of a project or, by its ID, of a domain; null without one. */
export const originQuery = (place: OriginPlace) =>
  queryOptions({
    queryKey: ['projects', place.projectId, ...(place.domain === undefined ? [] : ['domains', place.domain]), 'origin'],
    queryFn: async ({ signal }): Promise<Origin | null> => {
      try {
        return await dataOf(requestsOf(place).read(signal));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    refetchInterval: ({ state }) => (isTesting(state.data) ? TESTING_MS : false),
  });

/** The queries of the applications of a project and of its domains. */
export const originQueriesOf = (projectId: string): QueryFilters => ({
  predicate: ({ queryKey: [first, id, ...rest] }) =>
    first === 'projects' && id === projectId && rest.at(-1) === 'origin',
});

function isTesting(origin: Origin | null | undefined): boolean {
  if (origin == null || origin.test.finishedAt !== null) return false;
  return Date.now() - Date.parse(origin.test.startedAt) < TEST_LIMIT_MS;
}
