import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.js';

/** The imports of a project, newest first. */
export const importsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domain-imports'],
    queryFn: ({ signal }) =>
      dataOf(api().GET('/v1/projects/{projectId}/domain-imports', { params: { path: { projectId } }, signal })),
  });
