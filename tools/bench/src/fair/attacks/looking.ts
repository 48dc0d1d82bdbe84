import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../fair-fixture.js';
import { createDomains, send } from './bursts.js';

const LOOKERS = 10_000;
/** The interval of each page and command. */
const LOOK_EVERY_MS = 10_000;
const AT_ONCE = 50;

/** Ten thousand people of one organization look at a domain each, whose plan does not limit their requests. */
export const looking: Attack = {
  name: 'lookers',
  victim: 'checked',
  share: 0.95,
  prepare: async (fixture) => {
    const tenant = fixture.stack.createTenant('enterprise');
    await fixture.db.query(
      `insert into organization_limits (organization_id, name, value) values ($1, 'requestsPerMinute', 1000000)`,
      [tenant.organizationId],
    );
    const domains = await createDomains(fixture, tenant, LOOKERS);
    const look = (index: number) => {
      const domain = domains[index % domains.length];
      if (domain === undefined) throw new Error('there is no domain');
      return send(fixture, tenant, {
        method: 'POST',
        path: `/v1/projects/${domain.projectId}/domains/${domain.id}/watch`,
      });
    };
    let looked = 0;
    return {
      run: async (signal) => {
        const looks = new Set<Promise<unknown>>();
        while (!signal.aborted) {
          // A person whose page has not been answered looks no more often.
          for (let free = AT_ONCE - looks.size; free > 0; free--) {
            const one = look(looked++).finally(() => looks.delete(one));
            looks.add(one);
          }
          await sleep((LOOK_EVERY_MS * AT_ONCE) / LOOKERS);
        }
        await Promise.all(looks);
      },
    };
  },
};
