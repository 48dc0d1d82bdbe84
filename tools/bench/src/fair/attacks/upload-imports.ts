/** The attacks by imports: one tenant uploads files, as many at a time as it may. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Tenant } from '@pets/lab';
import type { Attack, FairFixture } from '../fair-fixture.js';

/** The instructions for `upload-imports-main.js`. */
export interface UploadOrder {
  readonly apiKey: string;
  /** The URL of the imports of a project. */
  readonly url: string;
  readonly kind: 'empty-lines' | 'cancelled-imports';
}

/**
 * An attack in a process of its own, which runs only while a processor is idle (SCHED_IDLE): a stranger has a machine of his
 * own, and what it costs him to send must not slow the tenant beside him.
 */
export function uploading(kind: UploadOrder['kind']): Attack {
  return {
    name: kind,
    victim: 'request',
    prepare: async (fixture) => {
      const tenant = fixture.stack.createTenant('free');
      const url = await createImportsUrl(fixture, tenant);
      return { run: (signal) => upload({ apiKey: tenant.apiKey, url, kind }, signal) };
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

async function upload(order: UploadOrder, signal: AbortSignal): Promise<void> {
  const program = fileURLToPath(new URL('upload-imports-main.js', import.meta.url));
  const args = ['--idle', '0', process.execPath, program, JSON.stringify(order)];
  const child = spawn('chrt', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([ended, once(signal, 'abort')]);
  if (!signal.aborted) throw new Error('the uploads have ended');
  child.kill('SIGKILL');
  await ended;
}
