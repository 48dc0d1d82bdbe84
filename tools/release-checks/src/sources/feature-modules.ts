import { dirname } from 'node:path';
import type { ImportGraph } from './import-graph.js';
import { petsApiModules, type FeatureModules, type FolderTable } from './module-tables.js';

const PETS_API = 'apps/pets-api/src/';

/**
 * The operator's command builds what it needs without Nest, and the files outside the folders put the process together:
 * these may import every file. Nobody imports them.
 */
const COMPOSITION = 'operations/admin/';

/**
 * Finds what breaks the boundaries: one line for each wrong import, and for each entry of the table that nothing needs.
 */
export function findBoundaryFaults(
  graph: ImportGraph,
  modules: FeatureModules = petsApiModules,
  root = PETS_API,
): readonly string[] {
  const imports = [...graph].flatMap(([from, targets]) => {
    if (!from.startsWith(root)) return [];
    return targets.flatMap((to) =>
      to.startsWith(root) ? [placed(from.slice(root.length), to.slice(root.length))] : [],
    );
  });
  const crossing = imports.filter(({ from, to }) => from.folder !== to.folder);
  const used = new Set(crossing.filter(({ from }) => isInModule(from, modules)).map(({ to }) => to.path));
  return [
    ...findOrderFaults(Object.fromEntries(Object.entries(modules).map(([name, { imports }]) => [name, imports]))),
    ...crossing.flatMap((found) => findImportFault(found, modules) ?? []),
    ...Object.entries(modules).flatMap(([name, { exposes, folders }]) => [
      ...exposes.flatMap((file) =>
        used.has(`${name}/${file}`) ? [] : [`${name} exposes ${file}, which no module imports`],
      ),
      ...(folders === undefined ? [] : findFolderFaults(graph, folders, `${root}${name}/`)),
    ]),
  ];
}

/**
 * Wrong imports between the folders below a root, and entries of the table that nothing needs. Files that put folders together
 * may import all of them, and nobody imports them: `*.module.ts`, and those beside the folders unless the table has `.`.
 */
export function findFolderFaults(graph: ImportGraph, folders: FolderTable, root: string): readonly string[] {
  const used = new Set<string>();
  const faults: string[] = [];
  for (const [from, targets] of graph) {
    if (!from.startsWith(root) || isModule(from)) continue;
    const folder = folderOf(from, root);
    if (!(folder in folders)) {
      if (folder !== '.') faults.push(`${from} is in no folder of the table`);
      continue;
    }
    for (const to of targets) {
      const other = to.startsWith(root) ? folderOf(to, root) : folder;
      if (other === folder) continue;
      used.add(`${folder} ${other}`);
      if (!folders[folder]?.includes(other)) faults.push(`${from} imports ${to}: ${folder} may not import ${other}`);
    }
  }
  for (const [folder, imported] of Object.entries(folders))
    for (const other of imported)
      if (!used.has(`${folder} ${other}`)) faults.push(`${root}${folder} may import ${other} and does not`);
  return [...findOrderFaults(folders, root), ...faults];
}

/** `.` for a file beside the folders. */
function folderOf(path: string, root: string): string {
  return dirname(path.slice(root.length));
}

interface Place {
  readonly path: string;
  /** Empty for a file outside the folders. */
  readonly folder: string;
}

interface Import {
  readonly from: Place;
  readonly to: Place;
}

function placed(from: string, to: string): Import {
  return { from: placeOf(from), to: placeOf(to) };
}

function placeOf(path: string): Place {
  return { path, folder: path.includes('/') ? path.slice(0, path.indexOf('/')) : '' };
}

function isInModule({ path, folder }: Place, modules: FeatureModules): boolean {
  return folder in modules && !path.startsWith(COMPOSITION);
}

/** A folder that imports only folders before it is in no cycle. */
function findOrderFaults(table: FolderTable, root = ''): string[] {
  const names = Object.keys(table);
  return Object.entries(table).flatMap(([name, imports], index) =>
    imports
      .filter((imported) => !names.slice(0, index).includes(imported))
      .map((imported) => `${root}${name} may not import ${imported}, which is not before it`),
  );
}

function findImportFault({ from, to }: Import, modules: FeatureModules): string | undefined {
  if (from.folder === '' || from.path.startsWith(COMPOSITION)) return findCompositionFault({ from, to });
  const importer = modules[from.folder];
  const imported = modules[to.folder];
  if (importer === undefined) return `${from.path} is in no module`;
  if (imported === undefined || !importer.imports.includes(to.folder))
    return `${from.path} imports ${to.path}: ${from.folder} may not import ${to.folder === '' ? 'the process' : to.folder}`;
  const file = to.path.slice(to.folder.length + 1);
  if (isModule(file) || imported.exposes.includes(file)) return undefined;
  return `${from.path} imports ${to.path}, which ${to.folder} does not expose`;
}

/** `app.module.ts` lists modules, and knows nothing else of them. */
function findCompositionFault({ from, to }: Import): string | undefined {
  if (from.path !== 'app.module.ts' || isModule(to.path)) return undefined;
  return `${from.path} imports ${to.path}, which is no module`;
}

function isModule(path: string): boolean {
  return path.endsWith('.module.ts');
}
