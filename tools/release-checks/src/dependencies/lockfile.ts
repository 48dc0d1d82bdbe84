import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from '../repository.js';

const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().default(false),
      link: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
    }),
  ),
});

/** A package that an install brings, on whatever platform. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression it gives, where it gives one. */
  readonly licence: string | undefined;
  /** Whether it only helps to develop. */
  readonly isDevelopment: boolean;
  readonly hasInstallScript: boolean;
}

const FOLDER = 'node_modules/';

/** Every package of package-lock.json, without our own. */
export function readLockfile(): readonly LockedPackage[] {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')));
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes(FOLDER) && !link)
    .map(([path, { version = '', license, dev, hasInstallScript }]) => ({
      name: path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
      version,
      licence: license ?? licenceOfOldForm(path),
      isDevelopment: dev,
      hasInstallScript,
    }));
}

const oldFormSchema = z.looseObject({ licenses: z.array(z.looseObject({ type: z.string() })) });

/** Packages from before SPDX name theirs in a list, which npm does not take over into the lock file. */
function licenceOfOldForm(path: string): string | undefined {
  const file = join(REPOSITORY, path, 'package.json');
  if (!existsSync(file)) return undefined;
  const parsed = oldFormSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return parsed.success ? parsed.data.licenses.map(({ type }) => type).join(' OR ') : undefined;
}
