import { randomUUID } from 'node:crypto';
import type { Attack } from '../attack.js';
import { createDomains, send, sendBursts } from './projects-of-a-tenant.js';

/** A removed name is removed again and again, while an edge does not answer. */
export const repeatedRemovals: Attack = {
  name: 'repeated-removals',
  victim: 'request',
  prepare: async (fixture) => {
    const tenant = fixture.createTenant('pro');
    const [domain] = await createDomains(fixture, tenant, 1);
    if (domain === undefined) throw new Error('there is no domain');
    await fixture.db.query(
      `insert into edges (id, epoch, acked_version, http_address, https_address, last_contact_at, session_id)
       select $1, epoch, 0, '127.0.0.1:1', '127.0.0.1:2', now(), gen_random_uuid() from edge_feed`,
      [`silent-${randomUUID()}`],
    );
    const removal = { method: 'DELETE', path: `/v1/projects/${domain.projectId}/domains/${domain.id}` };
    await send(fixture, tenant, removal);
    // As if edges had served it: the seeded row has no route whose end could be awaited.
    const ended = `update domains set removed_version = (select version + 1 from edge_feed), traffic_stopped_at = null where id = $1`;
    await fixture.db.query(ended, [domain.id]);
    return { run: (signal) => sendBursts(signal, { size: 300, pauseMs: 4_000 }, () => send(fixture, tenant, removal)) };
  },
};
