import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from '../repository.js';

/** Apps that are delivered: in images, in the pages of the dashboard, as the command. */
export const deliveredApps: readonly string[] = [
  'apps/pets-api',
  'apps/domains-worker',
  'apps/edge',
  'apps/dashboard',
  'apps/cli',
];

interface Component {
  readonly type: 'application' | 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly ({ readonly license: { readonly id: string } } | { readonly expression: string })[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

/** A bill of materials in the form of CycloneDX 1.6. */
export interface Bill {
  readonly $schema: string;
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Everything that apps need to run, from the lock file alone: the same lock file gives the same bill. */
export function billOfMaterials(lock: Lock, apps: readonly string[]): Bill {
  const reached = new Set<string>();
  const visit = (folder: string): void => {
    if (reached.has(folder)) return;
    reached.add(folder);
    foldersBelow(lock, folder).forEach(visit);
  };
  apps.forEach(visit);

  // One package may lie in several folders, each with other versions below it.
  const components = new Map<string, Component>();
  const below = new Map<string, Set<string>>();
  for (const folder of reached) {
    const component = componentOf(lock, folder);
    const refs = below.get(component.purl) ?? new Set();
    for (const found of foldersBelow(lock, folder)) refs.add(componentOf(lock, found).purl);
    components.set(component.purl, component);
    below.set(component.purl, refs);
  }
  const root: Component = { ...componentOf(lock, ''), type: 'application' };
  below.set(root.purl, new Set(apps.map((folder) => componentOf(lock, folder).purl)));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: root },
    components: [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
    dependencies: [...below].sort().map(([ref, refs]) => ({ ref, dependsOn: [...refs].sort() })),
  };
}

function componentOf(lock: Lock, folder: string): Component {
  const entry = lock[folder];
  if (entry === undefined) throw new Error(`package-lock.json knows no ${folder}`);
  const name = entry.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${entry.version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version: entry.version,
    purl,
    ...licencesOf(entry),
    ...hashesOf(entry),
  };
}

function licencesOf({ license }: LockEntry): Pick<Component, 'licenses'> {
  if (license === undefined) return {};
  return { licenses: [license.includes(' ') ? { expression: license } : { license: { id: license } }] };
}

/** The lock file holds what the registry promised, in base64; a bill wants it in hexadecimal. */
function hashesOf({ integrity }: LockEntry): Pick<Component, 'hashes'> {
  const content = /^sha512-(\S+)/.exec(integrity ?? '')?.[1];
  if (content === undefined) return {};
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') }] };
}

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

/** Entry of package-lock.json for the package in one folder. */
type LockEntry = z.infer<typeof entrySchema>;
/** Entries by folder, from the root of the repository. */
type Lock = Readonly<Record<string, LockEntry>>;

export function readLock(): Lock {
  return lockSchema.parse(JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8'))).packages;
}

/**
 * The folders of everything that a package needs to run: what it depends on, and the peers and optional packages that are
 * there. Development is left out, which lock files list apart; with it goes a peer that only development brings along.
 */
function foldersBelow(lock: Lock, folder: string): readonly string[] {
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

/** Finds a package as Node does: in the `node_modules` of the folder, then of those above. Links lead to workspaces. */
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
