import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/api.js';

/** The configuration and its ETag, which a change of it must name. */
export const domainConfigQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domain-config'],
    queryFn: async ({ signal }) => {
      const { data, response } = await answerOf(
        api().GET('/v1/projects/{projectId}/domain-config', { params: { path: { projectId } }, signal }),
      );
      return { config: data, etag: response.headers.get('etag') ?? '*' };
    },
  });
