/** Operations of another tenant beside an attack, and how long each of its operations takes in milliseconds. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedDomains, type SeededDomain, type Tenant } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import type { FairFixture, Victim } from './fair-fixture.js';

/** An operation that takes longer has failed. */
const LIMIT_MS = 60_000;
/** Time of a failed operation: no bar is met with it. */
const FAILED_MS = Number.POSITIVE_INFINITY;
const DAY_MS = 86_400_000;
/** Names that a run may click. */
const NAMES = 600;

export interface RunningVictim {
  /** One operation. @returns milliseconds */
  readonly operate: () => Promise<number>;
  /** How often an operation starts, whether or not those before it have ended. */
  readonly everyMs: number;
  close(): Promise<void>;
}

export const victims: Readonly<Record<Victim, (fixture: FairFixture) => Promise<RunningVictim>>> = {
  request: async (fixture) => {
    const tenant = await createUnlimited(fixture);
    const operate = () => timed(() => request(fixture, tenant, 'GET', '/v1/projects'));
    return { operate, everyMs: 40, close: async () => undefined };
  },
  checked: (fixture) =>
    clicking(fixture, 250, async ({ id }) => {
      const text = 'select from domain_work where domain_id = $1 and applied_attempt > 0';
      return (await fixture.db.query(text, [id])).rowCount !== 0;
    }),
  live: (fixture) =>
    clicking(fixture, 1_000, async ({ id }) => {
      const text = `select from domains where id = $1 and state = 'live'`;
      return (await fixture.db.query(text, [id])).rowCount !== 0;
    }),
  delivery: async (fixture) => {
    const tenant = await createUnlimited(fixture);
    const arrived = new Map<string, () => void>();
    const receiver = createServer((incoming, response) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => (text += part));
      incoming.on('end', () => {
        response.end();
        for (const [name, resolve] of arrived) if (text.includes(name)) resolve();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const address = receiver.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const body = { url: `http://127.0.0.1:${port}/`, eventTypes: ['pet.created'] };
    await request(fixture, tenant, 'POST', '/v1/webhook-endpoints', body);
    let count = 0;
    const operate = () =>
      timed(async () => {
        const name = `delivered-${++count}-end`;
        const isThere = new Promise<void>((resolve) => arrived.set(name, resolve));
        await request(fixture, tenant, 'POST', '/v1/pets', { name, categoryId: 1 });
        const isLate = sleep(LIMIT_MS, undefined, { ref: false }).then(() =>
          Promise.reject(new Error('not delivered')),
        );
        await Promise.race([isThere, isLate]).finally(() => arrived.delete(name));
      });
    const close = () => new Promise<void>((resolve) => receiver.close(() => resolve()).closeAllConnections());
    return { operate, everyMs: 200, close };
  },
};

/** The victim sends at a pace that no limit of its plan bounds. */
async function createUnlimited(fixture: FairFixture): Promise<Tenant> {
  const tenant = fixture.stack.createTenant('enterprise');
  await fixture.db.query(
    `insert into organization_limits (organization_id, name, value) values ($1, 'requestsPerMinute', 1000000)`,
    [tenant.organizationId],
  );
  return tenant;
}

async function clicking(
  fixture: FairFixture,
  everyMs: number,
  isDone: (domain: SeededDomain) => Promise<boolean>,
): Promise<RunningVictim> {
  const tenant = await createUnlimited(fixture);
  const label = tenant.organizationId.slice(0, 8);
  const named = Array.from({ length: NAMES }, (_, index) => ({
    name: `v${index}.${label}.example.net`,
    token: `v${label}x${index}`,
  }));
  const names = [...(await seedDomains(fixture.db, tenant.organizationId, named, new Date(Date.now() + DAY_MS)))];
  const operate = async () => {
    const domain = names.pop();
    if (domain === undefined) throw new Error('every name was clicked');
    fixture.stack.issuing.pointHere(domain);
    return timed(async () => {
      await request(fixture, tenant, 'POST', `/v1/projects/${domain.projectId}/domains/${domain.id}/verify`);
      await waitUntil(() => isDone(domain), { timeoutMs: LIMIT_MS, intervalMs: 5, message: 'a click to be done' });
    });
  };
  return { operate, everyMs, close: async () => undefined };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  try {
    await work();
    return performance.now() - beganMs;
  } catch (error) {
    process.stderr.write(`an operation of the victim failed: ${String(error)}\n`);
    return FAILED_MS;
  }
}

/** @throws Error for an answer that is no success */
async function request(
  { apiUrl }: FairFixture,
  { apiKey }: Tenant,
  method: string,
  path: string,
  body?: unknown,
): Promise<void> {
  const answer = await fetch(apiUrl + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status} ${text.slice(0, 200)}`);
}
