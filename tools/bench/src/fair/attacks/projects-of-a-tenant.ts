/** What the attacks on the API's connections have in common: projects with domains, and many requests at once. */
import { seedDomains, type SeededDomain } from '../../engine/seed.js';
import type { FairFixture, Tenant } from '../attack.js';

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
export async function sendBursts(
  signal: AbortSignal,
  { size, pauseMs }: { readonly size: number; readonly pauseMs: number },
  sendOne: (index: number) => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    const burst = Promise.all(Array.from({ length: size }, (_, index) => sendOne(index)));
    await Promise.all([burst, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
  }
}
