/** Tenants on the free plan whose receivers accept connections and say nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, FairFixture, Tenant } from '../attack.js';
import { startSilentServer } from './silent-server.js';

const TENANTS = 10;
const ENDPOINTS = 20;
const PETS = 60;

export const silentReceivers: Attack = {
  name: 'silent-receivers',
  victim: 'delivery',
  prepare: async (fixture) => {
    const { port, close } = await startSilentServer();
    const tenants = Array.from({ length: TENANTS }, () => fixture.createTenant('free'));
    for (const tenant of tenants)
      for (let number = 0; number < ENDPOINTS; number++)
        await send(fixture, tenant, 'webhook-endpoints', {
          url: `http://e${number}-${tenant.organizationId}.localhost:${port}/`,
          eventTypes: ['pet.created'],
        });
    return {
      run: async (signal) => {
        for (let count = 0; count < PETS && !signal.aborted; count++)
          await Promise.all(tenants.map((tenant) => send(fixture, tenant, 'pets', { name: 'Rex', categoryId: 1 })));
        await sleep(60 * 60_000, undefined, { signal }).catch(() => undefined);
      },
      close,
    };
  },
};

async function send({ apiUrl }: FairFixture, { apiKey }: Tenant, path: string, body: object): Promise<void> {
  const response = await fetch(`${apiUrl}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
