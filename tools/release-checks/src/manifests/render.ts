import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../repository.js';

const run = promisify(execFile);

const LIMIT_MS = 30_000;

/** What is deployed; each is a folder of deploy/kubernetes/overlays. */
export const overlays = ['production', 'staging'] as const;
export type Overlay = (typeof overlays)[number];

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
