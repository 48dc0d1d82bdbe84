import { queryOptions } from '@tanstack/react-query';
import { api, resultOf } from '../api/api.js';

/** The configuration and its ETag, which an update must send. */
export const domainConfigQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domain-config'],
    queryFn: async ({ signal }) => {
      const { data, response } = await resultOf(
        api().GET('/v1/projects/{projectId}/domain-config', { params: { path: { projectId } }, signal }),
      );
      return { config: data, etag: response.headers.get('etag') ?? '*' };
    },
  });
