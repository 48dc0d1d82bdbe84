import type { Attack } from '../fair-fixture.js';
import { createDomains } from './bursts.js';
import { runIdle } from './idle-process.js';

const LOOKERS = 10_000;

/** The order of `looking-main.js`. */
export interface LookOrder {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly paths: readonly string[];
}

/** Ten thousand people of one organization look at a domain each. */
export const looking: Attack = {
  name: 'lookers',
  victim: 'checked',
  share: 0.95,
  prepare: async (fixture) => {
    const { apiKey, ...tenant } = fixture.stack.createTenant('enterprise');
    const domains = await createDomains(fixture, { apiKey, ...tenant }, LOOKERS);
    const paths = domains.map(({ projectId, id }) => `/v1/projects/${projectId}/domains/${id}/watch`);
    const order: LookOrder = { apiUrl: fixture.apiUrl, apiKey, paths };
    return { run: (signal) => runIdle('looking-main.js', order, signal) };
  },
};
