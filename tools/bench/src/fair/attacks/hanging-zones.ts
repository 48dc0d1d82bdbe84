import { setTimeout as sleep } from 'node:timers/promises';
import { seedDomains } from '../../engine/seed.js';
import type { Attack } from '../attack.js';
import { send } from './projects-of-a-tenant.js';

const NAMES = 600;
const CLICK_EVERY_MS = 70;
const DAY_MS = 86_400_000;

/** Names whose zones never answer are added, and clicked again and again. */
export const hangingZones: Attack = {
  name: 'hanging-zones',
  victim: 'checked',
  prepare: async (fixture) => {
    const tenant = fixture.createTenant('pro');
    const label = tenant.organizationId.slice(0, 8);
    const named = Array.from({ length: NAMES }, (_, index) => ({
      name: `www.h${index}-${label}.org`,
      token: `h${label}x${index}`,
    }));
    for (const { name } of named)
      for (const silent of [name, name.slice('www.'.length), `_platform-challenge.${name}`])
        fixture.certificates.dns.fail({ name: silent, rcode: 'TIMEOUT' });
    const domains = await seedDomains(fixture.db, tenant.organizationId, named, new Date(Date.now() + DAY_MS));
    const click = (index: number) => {
      const domain = domains[index % domains.length];
      if (domain === undefined) throw new Error('there is no domain');
      return send(fixture, tenant, {
        method: 'POST',
        path: `/v1/projects/${domain.projectId}/domains/${domain.id}/verify`,
      });
    };
    let clicked = 0;
    return {
      run: async (signal) => {
        const due = `update domain_work set due_at = now() where organization_id = $1`;
        await fixture.db.query(due, [tenant.organizationId]);
        await fixture.db.query(`select pg_notify('domain_work', '')`);
        const clicks: Promise<unknown>[] = [];
        for (; !signal.aborted; await sleep(CLICK_EVERY_MS)) clicks.push(click(clicked++));
        await Promise.all(clicks);
      },
    };
  },
};
