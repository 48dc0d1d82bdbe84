import { randomUUID } from 'node:crypto';
import type { ApiKey, CreatedApiKey, Scope } from '@pets/contracts';
import type { Command } from '../command.js';
import { report } from '../outcome/outcome.js';
import { counted } from '../terminal/counted.js';
import { table } from '../terminal/table.js';

/** `pets keys list`. */
export const listKeys: Command<[]> = async ({ api }) => {
  const keys: readonly ApiKey[] = await api.askAll((query) => api.http.GET('/v1/api-keys', { params: { query } }));
  const rows = keys.map(({ id, name, display, scopes, expiresAt, lastUsedAt, revokedAt }) => [
    id,
    name,
    display,
    revokedAt === null ? (expiresAt ?? '') : `revoked ${revokedAt}`,
    lastUsedAt ?? '',
    scopes.join(' '),
  ]);
  const text = table(['ID', 'NAME', 'KEY', 'EXPIRES', 'LAST USED', 'SCOPES'], rows);
  return report('done', 'listed', `${counted(keys.length, 'key')}.`, { result: keys, text });
};

/** `pets keys create`: the one time that the key is shown, alone on standard output. */
export const createKey: Command<[name: string, options: { scope: Scope[]; expires?: string }]> = async (
  { api },
  name,
  { scope: scopes, expires },
) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const body = { name, scopes, ...(expires !== undefined && { expiresAt: expires }) };
  const key: CreatedApiKey = await api.ask(api.http.POST('/v1/api-keys', { params, body }));
  const next = [{ command: `pets keys revoke ${key.id}`, when: 'when you no longer need the key' }];
  return report('done', 'created', `Created ${key.display}. The key is shown only once.`, {
    result: key,
    next,
    text: key.secret,
  });
};

/** `pets keys revoke`. */
export const revokeKey: Command<[id: string]> = async ({ api }, apiKeyId) => {
  await api.answer(api.http.DELETE('/v1/api-keys/{apiKeyId}', { params: { path: { apiKeyId } } }));
  return report('done', 'revoked', `Revoked ${apiKeyId}. It stops working within a second.`);
};
