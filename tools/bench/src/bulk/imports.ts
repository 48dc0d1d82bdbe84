import { randomUUID } from 'node:crypto';
import { waitUntil } from '@pets/dev-stack';
import type { DomainImport } from '@pets/contracts';
import type pg from 'pg';

const LIMIT_MS = 30 * 60_000;

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
  await waitUntil(hasEnded, { timeoutMs: LIMIT_MS, intervalMs: 500, message: 'the import to end' });
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
  await waitUntil(isChecked, { timeoutMs: LIMIT_MS, intervalMs: 1_000, message: 'the first check of each name' });
}
