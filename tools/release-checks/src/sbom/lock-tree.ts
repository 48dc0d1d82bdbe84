import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from '../repository.js';

const names = z.record(z.string(), z.string()).default({});
const entrySchema = z.looseObject({
  name: z.string().optional(),
  version: z.string().default(''),
  license: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().default(false),
  resolved: z.string().optional(),
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.looseObject({ optional: z.boolean().default(false) })).default({}),
  /** Wanted by development, and otherwise by nobody who could not do without. */
  devOptional: z.boolean().default(false),
});
const lockSchema = z.looseObject({ packages: z.record(z.string(), entrySchema) });

/** What package-lock.json says of the package in one folder. */
export type LockEntry = z.infer<typeof entrySchema>;
/** By folder, from the root of the repository. */
export type Lock = Readonly<Record<string, LockEntry>>;

export function readLock(): Lock {
  return lockSchema.parse(JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8'))).packages;
}

/**
 * The folders of everything that a package needs to run: what it depends on, and the peers and optional packages that are
 * there. Development is left out, which lock files list apart; with it goes a peer that only development brings along.
 */
export function foldersBelow(lock: Lock, folder: string): readonly string[] {
  const entry = lock[folder] ?? entrySchema.parse({});
  const wanted = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
  const peers = Object.keys(entry.peerDependencies).filter((name) => {
    const found = findPackage(lock, folder, name);
    const isOptional = entry.peerDependenciesMeta[name]?.optional === true;
    return !(isOptional && found !== null && lock[found]?.devOptional === true);
  });
  const all = new Set([...wanted, ...peers]);
  return [...all].map((name) => findPackage(lock, folder, name)).filter((found) => found !== null);
}

/** As Node does: in the `node_modules` of the folder, then of those above. Links lead to workspaces. */
function findPackage(lock: Lock, folder: string, name: string): string | null {
  const candidate = join(folder, 'node_modules', name);
  const entry = lock[candidate];
  if (entry !== undefined) return entry.link ? (entry.resolved ?? null) : candidate;
  return folder === '' ? null : findPackage(lock, parentOf(folder), name);
}

function parentOf(folder: string): string {
  const parts = folder.split('/');
  return parts.slice(0, -1).join('/');
}
