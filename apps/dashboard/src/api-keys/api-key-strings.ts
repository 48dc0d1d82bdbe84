import { formatCount } from '../format.js';
import type { ApiKeyStatus } from './api-key-status.js';

export const apiKeyStrings = {
  title: 'API keys',
  usage: (used: number, limit: number) => `${formatCount(used)} of ${formatCount(limit)}`,
  none: 'No key matches',
  search: 'Search by the beginning of the name',
  status: 'Status',
  states: { valid: 'Valid', ended: 'Revoked or expired' },
  actions: 'Actions',
  create: 'Create API key',
  name: 'Name',
  scopes: 'Scopes',
  expires: 'Expires (optional)',
  confirmWith: 'Existing API key',
  confirmHint:
    'For security, creating a key requires an API key, not a session. The new key can have only scopes of this key.',
  secret: 'Key',
  saved: 'I have saved this key',
  revoke: 'Revoke',
  revoked: (name: string) => `${name} revoked.`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: 'The key and its sessions stop working within a second. This cannot be undone.',
  statuses: { valid: 'Valid', expired: 'Expired', revoked: 'Revoked' } satisfies Record<ApiKeyStatus, string>,
  lastUsed: 'Last used',
  never: 'Never',
  expiresAt: 'Expires',
  needsScope: 'Select at least one scope.',
} as const;
