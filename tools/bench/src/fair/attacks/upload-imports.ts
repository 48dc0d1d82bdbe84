/** The attacks by imports: one tenant uploads files, as many at a time as it may. */
import type { Tenant } from '@pets/lab';
import type { Attack, FairFixture } from '../fair-fixture.js';
import { runIdle } from './idle-process.js';

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
