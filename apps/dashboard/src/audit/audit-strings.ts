import type { auditActorKinds } from '@pets/contracts';

export const auditStrings = {
  title: 'Audit log',
  empty: 'No changes yet.',
  at: 'Time',
  actor: 'Actor',
  actors: {
    api_key: 'API key',
    session: 'Session of API key',
    operator: 'Platform operator',
    system: 'Platform',
  } satisfies Record<(typeof auditActorKinds)[number], string>,
  address: 'IP address',
  subject: 'Resource',
  requestId: 'Request ID',
};
