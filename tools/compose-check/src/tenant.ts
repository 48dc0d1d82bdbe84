import { join } from 'node:path';
import { create } from 'tar';
import { z } from 'zod';
import type { Project } from './project.js';

const REQUEST_LIMIT_MS = 30_000;

const organizationSchema = z.object({ organizationId: z.string(), apiKey: z.string() });
const projectSchema = z.object({ id: z.string(), slug: z.string() });

export interface Tenant {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly projectId: string;
  readonly slug: string;
}

/**
 * An organization and a key by the administrator's command in the container, a project and a deployment over the
 * published port: what an operator and a publisher do on the first day.
 */
export async function makeTenant(project: Project, repositoryRoot: string): Promise<Tenant> {
  const { organizationId, apiKey } = organizationSchema.parse(
    await admin(project, ['organization', 'create', '--name', 'Acme', '--plan', 'pro', '--key-name', 'first']),
  );
  const post = openPost(`http://127.0.0.1:${project.ports.api}/v1`, apiKey);
  const body = JSON.stringify({ name: 'Acme docs', slug: 'acme-docs' });
  const { id, slug } = projectSchema.parse(await post('/projects', 'application/json', body));
  const pages = join(repositoryRoot, 'tools/dev-stack/assets/acme-docs');
  await post(`/projects/${id}/deployments`, 'application/gzip', await packFolder(pages));
  return { organizationId, apiKey, projectId: id, slug };
}

/** The command prints one JSON object, as its last line. */
async function admin(project: Project, args: readonly string[]): Promise<unknown> {
  const printed = await project.exec('pets-api', ['node', 'apps/pets-api/dist/admin.js', ...args]);
  return JSON.parse(printed.split('\n').findLast((line) => line.startsWith('{')) ?? 'null') as unknown;
}

function openPost(baseUrl: string, apiKey: string) {
  return async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>): Promise<unknown> => {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': type },
      body,
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as unknown;
  };
}

async function packFolder(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of create({ gzip: true, cwd: folder, portable: true }, ['.'])) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}
