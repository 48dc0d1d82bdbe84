import type { auditActorKinds } from '@pets/contracts';

export const auditStrings = {
  title: 'Audit log',
  empty: 'Nothing has been changed yet.',
  at: 'Time',
  actor: 'By',
  actors: {
    api_key: 'API key',
    session: 'Session of the API key',
    operator: 'Operator of the platform',
    system: 'The platform',
  } satisfies Record<(typeof auditActorKinds)[number], string>,
  address: 'From address',
  subject: 'What',
  requestId: 'Request',
};
