import type { ApiKey } from '@pets/contracts';

export type KeyStanding = 'valid' | 'expired' | 'revoked';

/** Whether a key still opens anything. */
export function keyStanding({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: Date): KeyStanding {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : 'valid';
}
