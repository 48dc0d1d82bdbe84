import type { ApiKey } from '@pets/contracts';

export type ApiKeyStatus = 'valid' | 'expired' | 'revoked';

export function apiKeyStatus(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ApiKeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : 'valid';
}
