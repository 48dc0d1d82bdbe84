import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DomainImport } from '@pets/contracts';
import { seedDomains, type SeededDomain } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import type pg from 'pg';

const IMPORT_LIMIT_MS = 30 * 60_000;

/** An organization that imports, and the project that it imports to. */
export interface ImportingTenant {
  readonly db: pg.Pool;
  readonly url: string;
  readonly apiKey: string;
  readonly organizationId: string;
  readonly projectId: string;
}

/** A project that was deployed. */
export async function createProject(db: pg.Pool, organizationId: string): Promise<string> {
  const id = randomUUID();
  await db.query(
    `insert into projects (id, organization_id, name, slug) values ($1, $2, 'Bulk', 'bulk-' || $1::uuid)`,
    [id, organizationId],
  );
  await db.query(
    `insert into deployments (project_id, state, content_hash, files_hash, files, bytes) values ($1, 'ready', 'b0', 'b0', 1, 1)`,
    [id],
  );
  return id;
}

/** @returns milliseconds from the upload to the last row */
export async function runImport(
  { url, apiKey, projectId }: ImportingTenant,
  names: readonly string[],
  action: 'add' | 'remove',
): Promise<number> {
  const path = `${url}/v1/projects/${projectId}/domain-imports`;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/x-ndjson' };
  const body = names.map((name) => `${JSON.stringify({ name })}\n`).join('');
  const beganMs = performance.now();
  const started = await fetch(`${path}?action=${action}`, { method: 'POST', headers, body });
  if (started.status !== 201) throw new Error(`an import was answered ${started.status}: ${await started.text()}`);
  const { id } = (await started.json()) as DomainImport; // the API's answer
  let last: DomainImport | undefined;
  const hasEnded = async () => {
    last = (await (await fetch(`${path}/${id}`, { headers })).json()) as DomainImport; // as above
    return last.state !== 'running';
  };
  await waitUntil(hasEnded, { timeoutMs: IMPORT_LIMIT_MS, intervalMs: 500, message: 'the import to end' });
  const tookMs = performance.now() - beganMs;
  const { results } = last ?? {};
  if (results?.[action === 'add' ? 'created' : 'removed'] !== names.length)
    throw new Error(`the import ended with ${JSON.stringify(last)}`);
  return tookMs;
}

/** Waits for the first DNS check of each name. */
export async function untilChecked({ db, organizationId }: ImportingTenant): Promise<void> {
  const unchecked = `select from domain_work
    where organization_id = $1 and kind = 'dns' and due_at < now() + interval '15 minutes' and applied_attempt = 0 limit 1`;
  const isChecked = async () => (await db.query(unchecked, [organizationId])).rowCount === 0;
  await waitUntil(isChecked, {
    timeoutMs: IMPORT_LIMIT_MS,
    intervalMs: 1_000,
    message: 'the first check of each name',
  });
}

const EVERY_MS = 250;
const LIMIT_MS = 60_000;
/** Names to verify: each is clicked again after all others. */
const NAMES = 400;

/** An organization that clicks. */
export interface ClickedTenant {
  readonly db: pg.Pool;
  readonly url: string;
  readonly apiKey: string;
  readonly names: readonly SeededDomain[];
  /** The project that names are added to. */
  readonly projectId: string;
}

/** How long clicks took, in milliseconds. */
export interface Clicks {
  readonly verify: number[];
  readonly add: number[];
}

/** Names whose records are missing, so that each stays as it is after its check, and a project for others. */
export async function seedClicks(
  db: pg.Pool,
  organizationId: string,
): Promise<Pick<ClickedTenant, 'names' | 'projectId'>> {
  const named = Array.from({ length: NAMES }, (_, index) => ({
    name: `other-click${index}.engine.example.com`,
    token: `tclick${index}`,
  }));
  const inADay = new Date(Date.now() + 24 * 60 * 60 * 1_000);
  const names = await seedDomains(db, organizationId, named, inADay);
  return { names, projectId: await createProject(db, organizationId) };
}

/** Verifies a name and adds one in turns, for a time or until it is aborted. */
export async function runClicks(
  tenant: ClickedTenant,
  options: { readonly forMs?: number; readonly signal?: AbortSignal; readonly into?: Clicks },
): Promise<void> {
  const { forMs = Infinity, signal, into } = options;
  const clicks: Promise<unknown>[] = [];
  const endsMs = performance.now() + forMs;
  for (let nth = 0; performance.now() < endsMs && signal?.aborted !== true; nth += 1) {
    if (nth % 2 === 0) clicks.push(verify(tenant).then((tookMs) => into?.verify.push(tookMs)));
    else clicks.push(add(tenant).then((tookMs) => into?.add.push(tookMs)));
    await sleep(EVERY_MS);
  }
  await Promise.all(clicks);
}

let verified = 0;

/** Until the result of the check is applied. */
async function verify({ db, url, apiKey, names }: ClickedTenant): Promise<number> {
  const domain = names[verified++ % names.length];
  if (domain === undefined) throw new Error('there is no name to verify');
  const attempts = `select applied_attempt from domain_work where domain_id = $1 and kind = 'dns'`;
  const read = async () =>
    (await db.query<{ applied_attempt: number }>(attempts, [domain.id])).rows[0]?.applied_attempt ?? 0;
  const before = await read();
  const beganMs = performance.now();
  const path = `${url}/v1/projects/${domain.projectId}/domains/${domain.id}/verify`;
  await post(path, apiKey, 202);
  await waitUntil(async () => (await read()) > before, {
    ...{ timeoutMs: LIMIT_MS, intervalMs: 2, message: 'a click to be checked' },
  });
  return performance.now() - beganMs;
}

/** Until the answer. */
async function add({ url, apiKey, projectId }: ClickedTenant): Promise<number> {
  const name = `shop.added-${randomBytes(8).toString('hex')}.com`;
  const beganMs = performance.now();
  await post(`${url}/v1/projects/${projectId}/domains`, apiKey, 201, { name });
  return performance.now() - beganMs;
}

async function post(url: string, apiKey: string, status: number, body?: unknown): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`a click was answered ${answer.status}: ${text}`);
}
