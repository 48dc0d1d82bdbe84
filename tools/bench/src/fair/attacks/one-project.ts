import type { Attack } from '../attack.js';
import { createDomains, send, sendBursts } from './projects-of-a-tenant.js';

/** Many changes of one project at once, which all want the lock of its row. */
export const oneProject: Attack = {
  name: 'one-project',
  victim: 'request',
  prepare: async (fixture) => {
    const tenant = fixture.createTenant('free');
    const [domain] = await createDomains(fixture, tenant, 1);
    if (domain === undefined) throw new Error('there is no domain');
    const change = { method: 'PATCH', path: `/v1/projects/${domain.projectId}`, body: { name: 'Changed' } };
    return { run: (signal) => sendBursts(signal, { size: 250, pauseMs: 4_000 }, () => send(fixture, tenant, change)) };
  },
};
