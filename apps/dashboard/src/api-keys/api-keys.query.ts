import { queryOptions } from '@tanstack/react-query';
import { allPages } from '../api/all-pages.js';
import { answerOf, api } from '../api/api.js';

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => allPages((query) => answerOf(api().GET('/v1/api-keys', { params: { query }, signal }))),
});
