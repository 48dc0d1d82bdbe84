import { readAllPages, type components } from '@pets/client';
import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';

/** The organization of the session, with the limits of its plan. */
export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: ({ signal }) => dataOf(api().GET('/v1/organization', { signal })),
});

/** All of them, for choosing one. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => readAllPages((query) => resultOf(api().GET('/v1/projects', { params: { query }, signal }))),
});

/** @param search what name or slug contain; empty for all */
export function projectListQuery(search: string) {
  const filter = search === '' ? {} : { q: search };
  return pagedQuery<components['schemas']['Project']>(['projects', 'list', search], (page, signal) =>
    resultOf(api().GET('/v1/projects', { params: { query: { ...filter, ...page } }, signal })),
  );
}

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

export const channelsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'channels'],
    queryFn: ({ signal }) =>
      dataOf(api().GET('/v1/projects/{projectId}/channels', { params: { path: { projectId } }, signal })),
  });

/** The files in which a deployment differs from the kept one before it. */
export const changesQuery = (projectId: string, deploymentId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'deployments', deploymentId, 'changes'],
    queryFn: ({ signal }) =>
      dataOf(
        api().GET('/v1/projects/{projectId}/deployments/{deploymentId}/changes', {
          params: { path: { projectId, deploymentId } },
          signal,
        }),
      ),
  });
