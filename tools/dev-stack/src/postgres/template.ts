/** Clusters that are copied instead of made: `initdb`, and whatever a cluster was filled with, once instead of each time. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { locateBinaries } from './binaries.js';
import { choosePlacement } from './placement.js';

const COPY_LIMIT_MS = 60_000;

/**
 * Keeps the cluster of a server that was stopped, for `PostgresOptions.template`. The folder appears whole or not at all;
 * where it is there already, whoever made it was faster, and that one stays.
 */
export async function keepTemplate(dataDir: string, folder: string): Promise<void> {
  const { base } = await choosePlacement(await locateBinaries(), dataDir);
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.draft-`);
  await copyCluster(base, draft);
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
}

/** From the base of one placement, or a template, to that of another. Whose files they are stays as it is. */
export async function copyCluster(from: string, to: string): Promise<void> {
  const draft = join(to, 'cluster.draft');
  await rm(draft, { recursive: true, force: true });
  // A thousand small files: `cp` is several times faster than Node, and shares their blocks where the file system can.
  const copy = (...args: string[]) => promisify(execFile)('cp', ['-Rp', ...args], { timeout: COPY_LIMIT_MS });
  await copy(join(from, 'password'), to);
  await copy(join(from, 'cluster'), draft);
  await rename(draft, join(to, 'cluster'));
}
