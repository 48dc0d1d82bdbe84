import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from '../repository.js';

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

/** One resource of Kubernetes; what else it holds depends on its kind. */
export type Manifest = z.infer<typeof manifestSchema>;

/** The resources of a stream of YAML documents, in their order. Octal numbers and booleans are those of YAML 1.1, as in kubectl. */
export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return manifestSchema.parse(document.toJS());
  });
}

export function readManifests(overlay: Overlay): readonly Manifest[] {
  return parseManifests(readFileSync(renderedFile(overlay), 'utf8'));
}

/** How a resource is called in messages. */
export function titleOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata.name}`;
}

/** The one resource of a kind and name. */
export function findManifest(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind}/${name} among ${manifests.map(titleOf).join(', ')}`);
  return found;
}

const run = promisify(execFile);

const LIMIT_MS = 30_000;

/** What is deployed; each is a folder of deploy/kubernetes/overlays. */
export const overlays = ['production', 'staging'] as const;
type Overlay = (typeof overlays)[number];

/** The manifests of an overlay as they were rendered last, which is what the checks read: not every machine has kubectl. */
export function renderedFile(overlay: Overlay): string {
  return join(REPOSITORY, 'tools/release-checks/rendered', `${overlay}.yaml`);
}

export function render(overlay: Overlay): Promise<string> {
  return renderFolder(join(REPOSITORY, 'deploy/kubernetes/overlays', overlay));
}

/** Renders a kustomization as `kubectl apply -k` does, with the kustomize that is in kubectl. */
export async function renderFolder(folder: string): Promise<string> {
  const { stdout } = await run('kubectl', ['kustomize', folder], { timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** Whether `render` can work here: kubectl is there, and its kustomize (5 or later) knows components. */
export async function canRender(): Promise<boolean> {
  try {
    const { stdout } = await run('kubectl', ['version', '--client'], { timeout: LIMIT_MS });
    return Number(/Kustomize Version: v(\d+)/.exec(stdout)?.[1] ?? 0) >= 5;
  } catch {
    return false; // there is no kubectl, or one that is too old to know the question
  }
}
