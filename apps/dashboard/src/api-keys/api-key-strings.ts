import type { KeyRevocationReason } from '@pets/contracts';
import type { ApiKeyStatus } from './api-keys.queries.js';

export const apiKeyStrings = {
  title: 'API keys',
  none: 'No API keys',
  noneFound: 'No matching keys',
  noneFoundText: 'Change the search or the status.',
  search: 'Search by name',
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
  createdBy: 'Created by',
  creatorUnknown: 'Unknown',
  operator: 'Operator',
  left: '(left)',
  leaked: 'Report as leaked: owners are notified, and you need none of its scopes',
  reasons: { leaked: 'leaked', person_removed: 'person removed', person_demoted: 'lower role' } satisfies Record<
    KeyRevocationReason,
    string
  >,
  lastUsed: 'Last used',
  never: 'Never',
  expiresAt: 'Expires',
  needsScope: 'Select at least one scope.',
} as const;
