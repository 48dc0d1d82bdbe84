import { readAllPages } from '@pets/client';
import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, resultOf } from '../api/api.js';

/** The organization of the session, with the limits of its plan. */
export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: ({ signal }) => dataOf(api().GET('/v1/organization', { signal })),
});

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => readAllPages((query) => resultOf(api().GET('/v1/projects', { params: { query }, signal }))),
});

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId],
    queryFn: ({ signal }) => dataOf(api().GET('/v1/projects/{projectId}', { params: { path: { projectId } }, signal })),
  });

export const deploymentsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'deployments'],
    queryFn: ({ signal }) =>
      dataOf(api().GET('/v1/projects/{projectId}/deployments', { params: { path: { projectId } }, signal })),
  });
