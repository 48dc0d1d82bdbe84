/** Attacks on the API's connections: a tenant with projects and domains sends many requests at once. */
import { randomUUID } from 'node:crypto';
import { seedDomains, type SeededDomain, type Tenant } from '@pets/lab';
import type { Attack, FairFixture } from '../fair-fixture.js';

const DAY_MS = 86_400_000;

/** Domains of a tenant that nothing checks. */
export async function createDomains(
  { db }: FairFixture,
  { organizationId }: Tenant,
  count: number,
): Promise<readonly SeededDomain[]> {
  const label = organizationId.slice(0, 8);
  const named = Array.from({ length: count }, (_, index) => ({
    name: `a${index}.${label}.example.org`,
    token: `a${label}x${index}`,
  }));
  return seedDomains(db, organizationId, named, new Date(Date.now() + DAY_MS));
}

/** Sends a request and reads the answer, whatever it is; a failed connection counts as an answer. */
export async function send(
  { apiUrl }: FairFixture,
  { apiKey }: Tenant,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<number> {
  try {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

/** Sends bursts of requests at once, with a pause between them, until the signal aborts. */
async function sendBursts(
  signal: AbortSignal,
  { size, pauseMs }: { readonly size: number; readonly pauseMs: number },
  sendOne: (index: number) => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    const burst = Promise.all(Array.from({ length: size }, (_, index) => sendOne(index)));
    await Promise.all([burst, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
  }
}

const BATCHES = 40;
const NAMES = 1_000;

/** Batches of many names at once, each to a project of its own. */
export const batches: Attack = {
  name: 'batches',
  victim: 'request',
  prepare: async (fixture) => {
    const tenant = fixture.stack.createTenant('pro');
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

/** Many changes of one project at once, which all want the lock of its row. */
export const oneProject: Attack = {
  name: 'one-project',
  victim: 'request',
  prepare: async (fixture) => {
    const tenant = fixture.stack.createTenant('free');
    const [domain] = await createDomains(fixture, tenant, 1);
    if (domain === undefined) throw new Error('there is no domain');
    const change = { method: 'PATCH', path: `/v1/projects/${domain.projectId}`, body: { name: 'Changed' } };
    return { run: (signal) => sendBursts(signal, { size: 250, pauseMs: 4_000 }, () => send(fixture, tenant, change)) };
  },
};

/** A removed name is removed again and again, while an edge does not answer. */
export const repeatedRemovals: Attack = {
  name: 'repeated-removals',
  victim: 'request',
  prepare: async (fixture) => {
    const tenant = fixture.stack.createTenant('pro');
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
