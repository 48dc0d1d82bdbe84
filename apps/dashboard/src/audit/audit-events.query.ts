import type { components } from '@pets/client';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/api.js';
import { nextCursor } from '../api/next-cursor.js';
import type { PageOf } from '../parts/paged.js';

export type AuditEvent = components['schemas']['AuditEvent'];

/** What has been changed, newest first. */
export const auditEventsQuery = infiniteQueryOptions({
  queryKey: ['audit-events'],
  initialPageParam: null as string | null,
  queryFn: async ({ pageParam, signal }): Promise<PageOf<AuditEvent>> => {
    const query = pageParam === null ? {} : { cursor: pageParam };
    const { data, response } = await answerOf(api().GET('/v1/audit-events', { params: { query }, signal }));
    return { items: data, next: nextCursor(response.headers.get('link')) };
  },
  getNextPageParam: ({ next }) => next,
});
