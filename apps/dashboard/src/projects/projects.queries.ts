import { queryOptions } from '@tanstack/react-query';
import { allPages } from '../api/all-pages.js';
import { answerOf, api, bodyOf } from '../api/api.js';

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => allPages((query) => answerOf(api().GET('/v1/projects', { params: { query }, signal }))),
});

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId],
    queryFn: ({ signal }) => bodyOf(api().GET('/v1/projects/{projectId}', { params: { path: { projectId } }, signal })),
  });

export const deploymentsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'deployments'],
    queryFn: ({ signal }) =>
      bodyOf(api().GET('/v1/projects/{projectId}/deployments', { params: { path: { projectId } }, signal })),
  });
