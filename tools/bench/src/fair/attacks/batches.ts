import type { Attack } from '../attack.js';
import { createDomains, send, sendBursts } from './projects-of-a-tenant.js';

const BATCHES = 40;
const NAMES = 1_000;

/** Batches of many names at once, each to a project of its own. */
export const batches: Attack = {
  name: 'batches',
  victim: 'request',
  prepare: async (fixture) => {
    const tenant = fixture.createTenant('pro');
    const projects = [
      ...new Set((await createDomains(fixture, tenant, BATCHES * 50)).map(({ projectId }) => projectId)),
    ];
    let sent = 0;
    const sendBatch = (index: number) => {
      const label = `b${++sent}-${tenant.organizationId.slice(0, 8)}`;
      const domains = Array.from({ length: NAMES }, (_, each) => ({ name: `n${each}.${label}.example.org` }));
      const path = `/v1/projects/${projects[index % projects.length]}/domains:batch`;
      return send(fixture, tenant, { method: 'POST', path, body: { domains } });
    };
    return { run: (signal) => sendBursts(signal, { size: BATCHES, pauseMs: 60_000 }, sendBatch) };
  },
};
