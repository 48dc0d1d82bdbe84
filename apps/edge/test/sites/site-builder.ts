import { join } from 'node:path';
import { freePort, waitUntil } from '@pets/testing';
import { describeExit, sharedReaper, startChild } from '@pets/testing/processes';
import { type SiteFiles, BUILT_SITES, readArchive } from './built-site.js';

const program = join(BUILT_SITES, '../build.mjs');
const BUILD_LIMIT_MS = 150_000;

/** A site that was built now, and the address of the generator's own preview of it. */
export interface BuiltSite {
  readonly version: string;
  readonly files: SiteFiles;
  readonly previewOrigin: string;
  stop(): Promise<void>;
}

/** Builds a site from its sources and starts its preview. @param folder gets the archive, and what is left of a build that is killed */
export async function buildAndPreview(name: string, folder: string): Promise<BuiltSite> {
  const port = await freePort();
  const lines: string[] = [];
  const child = startChild(
    {
      name,
      command: process.execPath,
      args: [program, '--into', folder, '--preview', String(port), name],
      // All of it: npm may need settings of the machine, such as certificates of a proxy.
      env: { ...(process.env as Record<string, string>), TMPDIR: folder },
      stopSignals: ['SIGTERM'],
      stopTimeoutMs: 10_000,
      stopRank: 0,
    },
    { reaper: sharedReaper(), onLine: (_, line) => lines.push(line) },
  );
  const over = new AbortController();
  void child.exited.then((exit) =>
    over.abort(new Error([`the build of ${name} ${describeExit(exit)}`, ...lines].join('\n'))),
  );
  const wait = { timeoutMs: BUILD_LIMIT_MS, signal: over.signal };
  const previewOrigin = `http://127.0.0.1:${port}`;
  try {
    const built = new RegExp(`^${name} (\\S+), \\d+ KB$`);
    const version = await waitUntil(() => lines.map((line) => built.exec(line)?.[1]).find(Boolean), {
      ...wait,
      message: `the site of ${name}`,
    });
    await waitUntil(async () => (await fetch(previewOrigin)).ok, { ...wait, message: `the preview of ${name}` });
    const files = await readArchive(join(folder, `${name}.tar.gz`));
    return { version, files, previewOrigin, stop: () => child.stop() };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
