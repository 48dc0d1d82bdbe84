import type { ApiKey } from '@pets/contracts';
import type { QueryClient } from '@tanstack/react-query';
import { api, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';
import type { CreationOrder } from '../components/filters.js';
import { organizationQuery } from '../projects/projects.queries.js';

const LIST_PAGE_SIZE = 50;

/** `ended`: revoked or expired. */
export const apiKeyStates = ['valid', 'ended'] as const;
export type ApiKeyState = (typeof apiKeyStates)[number];

interface ApiKeyFilters {
  /** Null: all. */
  readonly state: ApiKeyState | null;
  /** Beginning of the name; empty for all. */
  readonly search: string;
  readonly order: CreationOrder;
}

/** The keys of the organization. */
export function apiKeysQuery({ state, search, order }: ApiKeyFilters) {
  const filter = { ...(state !== null && { state }), ...(search !== '' && { q: search }) };
  return pagedQuery<ApiKey>(['api-keys', state, search, order], (page, signal) =>
    resultOf(
      api().GET('/v1/api-keys', {
        params: { query: { limit: LIST_PAGE_SIZE, sort: order, ...filter, ...page } },
        signal,
      }),
    ),
  );
}

/** The organization counts its keys. */
export async function invalidateApiKeys(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
    queryClient.invalidateQueries(organizationQuery),
  ]);
}

export type ApiKeyStatus = 'valid' | 'expired' | 'revoked';

export function apiKeyStatus(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ApiKeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : 'valid';
}
