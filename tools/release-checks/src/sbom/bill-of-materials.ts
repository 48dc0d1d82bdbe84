import { foldersBelow, type Lock, type LockEntry } from './lock-tree.js';

/** What leaves the house: in images, in the pages of the dashboard, as the command. */
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
