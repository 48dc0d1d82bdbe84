/** The attacks by imports: one tenant uploads files, as many at a time as it may. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Tenant } from '@pets/lab';
import type { Attack, FairFixture } from '../fair-fixture.js';
import { createDomains } from './bursts.js';

/**
 * Runs an attack in a process of its own until the signal aborts. It runs only while a processor is idle (SCHED_IDLE): a
 * stranger has a machine of his own, and what it costs him to send must not slow the tenant beside him.
 * @param program a file of this folder, which reads its order as JSON from standard input
 */
async function runIdle(program: string, order: unknown, signal: AbortSignal): Promise<void> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn('chrt', ['--idle', '0', process.execPath, file], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(JSON.stringify(order));
  const ended = once(child, 'exit');
  await Promise.race([ended, once(signal, 'abort')]);
  if (!signal.aborted) throw new Error(`${program} has ended`);
  child.kill('SIGKILL');
  await ended;
}

/** The order of `upload-imports-main.js`. */
export interface UploadOrder {
  readonly apiKey: string;
  /** The URL of the imports of a project. */
  readonly url: string;
  readonly kind: 'empty-lines' | 'cancelled-imports';
}

/** One tenant uploads files of a kind, as many at a time as it may. */
export function uploading(kind: UploadOrder['kind']): Attack {
  return {
    name: kind,
    victim: 'request',
    prepare: async (fixture) => {
      const tenant = fixture.stack.createTenant('free');
      const url = await createImportsUrl(fixture, tenant);
      const order: UploadOrder = { apiKey: tenant.apiKey, url, kind };
      return { run: (signal) => runIdle('upload-imports-main.js', order, signal) };
    },
  };
}

async function createImportsUrl({ apiUrl }: FairFixture, { apiKey }: Tenant): Promise<string> {
  const created = await fetch(`${apiUrl}/v1/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Imports', slug: `imports-${Date.now().toString(36)}` }),
  });
  if (created.status !== 201) throw new Error(`a project was answered ${created.status}`);
  const { id } = (await created.json()) as { readonly id: string }; // our own API
  return `${apiUrl}/v1/projects/${id}/domain-imports`;
}

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
