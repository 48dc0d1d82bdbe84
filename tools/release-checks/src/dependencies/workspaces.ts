import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from '../repository.js';

const versions = z.record(z.string(), z.string()).default({});
const packageSchema = z.looseObject({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});

/** One package.json of ours. */
export interface Workspace {
  /** Folder from the root of the repository; `.` is the root. */
  readonly folder: string;
  /** Dependencies, sorted, without our own libraries. */
  readonly dependencies: readonly string[];
}

/** Every workspace, the root first. */
export function readWorkspaces(): readonly Workspace[] {
  const folders = ['apps', 'libs', 'tools'].flatMap((group) =>
    readdirSync(join(REPOSITORY, group)).map((name) => `${group}/${name}`),
  );
  return ['.', ...folders.sort()]
    .filter((folder) => existsSync(join(REPOSITORY, folder, 'package.json')))
    .map((folder) => ({ folder, dependencies: dependenciesOf(folder) }));
}

function dependenciesOf(folder: string): readonly string[] {
  const text = readFileSync(join(REPOSITORY, folder, 'package.json'), 'utf8');
  const { dependencies, devDependencies, optionalDependencies } = packageSchema.parse(JSON.parse(text));
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  return names.filter((name) => !name.startsWith('@pets/')).sort();
}

const passedOver = new Set(['node_modules', 'dist', 'out-tsc', 'build', 'test-results']);
const isSource = (name: string) => /\.(tsx?|mjs|js|css|html|json)$/.test(name) || name === '.swcrc';
const isPackage = (name: string) => name === 'package.json' || name === 'package-lock.json';

/** Finds the dependencies that a workspace names in no source and no configuration of its own. */
export function findUnnamed({ folder, dependencies }: Workspace): readonly string[] {
  const text = sourcesIn(join(REPOSITORY, folder), folder === '.').join('\n');
  return dependencies.filter((name) => !["'", '"'].some((quote) => isQuoted(text, quote, name)));
}

/** Whether a text names a package, alone or in a path: `'zod'`, `'zod/v4'`. */
function isQuoted(text: string, quote: string, name: string): boolean {
  return text.includes(`${quote}${name}${quote}`) || text.includes(`${quote}${name}/`);
}

/** Sources in a folder; of the root only the files in it, since the rest belongs to workspaces. */
function sourcesIn(folder: string, isRoot: boolean): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return isRoot || passedOver.has(entry.name) ? [] : sourcesIn(path, false);
    return entry.isFile() && isSource(entry.name) && !isPackage(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

/** One line of docs/dependencies.md. */
interface ListedDependency {
  readonly folder: string;
  readonly name: string;
  readonly reason: string;
  /** Whether a † says that no source names it. */
  readonly isUnnamed: boolean;
}

/** Reads the lists of docs/dependencies.md: a heading a workspace, below it a line a reason. */
export function parseDependencyList(text: string): readonly ListedDependency[] {
  return text.split(/^## /m).flatMap((section) => {
    const folder = /^`([^`]+)`/.exec(section)?.[1];
    if (folder === undefined) return [];
    return [...section.matchAll(/^- (`.+?): (.+)$/gm)].flatMap(([, names = '', reason = '']) =>
      [...names.matchAll(/`([^`]+)`(†?)/g)].map(([, name = '', mark]) => ({
        folder,
        name,
        reason,
        isUnnamed: mark === '†',
      })),
    );
  });
}
