import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from '../api/api.js';

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => bodyOf(api().GET('/v1/api-keys', { signal })),
});
