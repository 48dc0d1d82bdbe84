import { join } from 'node:path';
import type { PetsClient } from '@pets/client';
import { repositoryRoot } from '@pets/dev-stack';
import { create } from 'tar';

const PAGE_FOLDER = join(repositoryRoot, 'tools/dev-stack/assets/acme-docs');
const LIMIT_MS = 15_000;

/** Makes a project that has a page to show. @returns its id */
export async function deployPage(
  pets: PetsClient,
  { apiUrl, apiKey }: { readonly apiUrl: string; readonly apiKey: string },
  slug = 'acme-docs',
): Promise<string> {
  const { data: project, error } = await pets.POST('/v1/projects', { body: { name: 'Acme docs', slug } });
  if (project === undefined) throw new Error(error.message);
  const chunks: Uint8Array[] = [];
  for await (const chunk of create({ gzip: true, cwd: PAGE_FOLDER, portable: true }, ['.'])) chunks.push(chunk);
  const response = await fetch(`${apiUrl}/v1/projects/${project.id}/deployments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(Buffer.concat(chunks)),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  if (response.status !== 201)
    throw new Error(`the deployment was answered ${response.status}: ${await response.text()}`);
  return project.id;
}
