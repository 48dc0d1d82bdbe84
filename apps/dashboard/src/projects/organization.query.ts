import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from '../api/api.js';

/** Whose session it is, and what the plan allows. */
export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: ({ signal }) => bodyOf(api().GET('/v1/organization', { signal })),
});
