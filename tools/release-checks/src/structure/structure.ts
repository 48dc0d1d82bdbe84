/** How the sources are cut into files and folders: figures that say how much somebody has to open to follow a change. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '../repository.js';
import { readImports, type ImportGraph } from '../sources/import-graph.js';
import { findNamedPaths, isThere } from '../sources/named-paths.js';
import { listSources } from '../sources/import-graph.js';

export interface StructureFigures {
  /** Programs that people write, without specs and tests. */
  readonly files: number;
  readonly medianLines: number;
  /** Files of fewer than 60 lines whose only importer is in the same folder. */
  readonly smallWithOneImporter: number;
  /** Pairs of folders of an app that import each other, without the files that put folders together. */
  readonly mutualFolders: Readonly<Record<string, number>>;
  /** The largest module of pets-api, and its part of the app's lines in percent. */
  readonly largestModule: { readonly name: string; readonly percent: number };
  /** The files that each walk of docs/architecture.md names. */
  readonly walks: Readonly<Record<string, number>>;
}

const SMALL = 60;
const APPS = ['apps/pets-api/src/', 'apps/edge/src/'];
const PETS_API = 'apps/pets-api/src/';
const ARCHITECTURE = 'docs/architecture.md';

export function measureStructure(): StructureFigures {
  const all = listSources();
  const files = all.filter((path) => /\/src\/.*\.tsx?$/.test(path) && !/\.(spec|d)\.tsx?$/.test(path));
  const lines = new Map(files.map((path) => [path, readLines(path)]));
  const graph = readImports(all);
  return {
    files: files.length,
    medianLines: medianOf([...lines.values()]),
    smallWithOneImporter: files.filter((path) => (lines.get(path) ?? 0) < SMALL && hasOneImporterBeside(path, graph))
      .length,
    mutualFolders: Object.fromEntries(APPS.map((root) => [root, countMutualFolders(graph, root)])),
    largestModule: findLargestModule(lines),
    walks: countWalks(readFileSync(join(REPOSITORY, ARCHITECTURE), 'utf8'), files),
  };
}

function readLines(path: string): number {
  return readFileSync(join(REPOSITORY, path), 'utf8').trimEnd().split('\n').length;
}

function medianOf(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

function hasOneImporterBeside(path: string, graph: ImportGraph): boolean {
  const importers = [...graph].flatMap(([from, targets]) => (targets.includes(path) && !isTest(from) ? [from] : []));
  const [importer] = importers;
  return importer !== undefined && importers.length === 1 && dirname(importer) === dirname(path) && !isIndex(importer);
}

function isTest(path: string): boolean {
  return /\.spec\.tsx?$/.test(path) || path.includes('/test/');
}

function isIndex(path: string): boolean {
  return path.endsWith('/index.ts');
}

/** Files beside the folders, and the classes of Nest modules, put folders together. */
function countMutualFolders(graph: ImportGraph, root: string): number {
  const arrows = new Set<string>();
  for (const [from, targets] of graph) {
    const folder = dirname(from.slice(root.length));
    if (!from.startsWith(root) || folder === '.' || from.endsWith('.module.ts') || isTest(from)) continue;
    for (const to of targets)
      if (to.startsWith(root) && dirname(to) !== dirname(from)) arrows.add(`${dirname(from)} ${dirname(to)}`);
  }
  return [...arrows].filter((arrow) => arrows.has(arrow.split(' ').reverse().join(' '))).length / 2;
}

function findLargestModule(lines: ReadonlyMap<string, number>): StructureFigures['largestModule'] {
  const counts = new Map<string, number>();
  let total = 0;
  for (const [path, count] of lines) {
    if (!path.startsWith(PETS_API)) continue;
    total += count;
    const name = path.slice(PETS_API.length).split('/')[0] ?? '';
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const [[name, count] = ['', 0]] = [...counts].sort(([, one], [, other]) => other - one);
  return { name, percent: Math.round((count / total) * 1_000) / 10 };
}

/** @param page with a heading of the third level for each walk */
export function countWalks(page: string, files: readonly string[]): Readonly<Record<string, number>> {
  const [, walks = ''] = page.split('## Four walks through the code');
  const [section = ''] = walks.split(/^## /m);
  return Object.fromEntries(
    section
      .split(/^### /m)
      .slice(1)
      .map((walk) => {
        const title = (walk.split('\n')[0] ?? '').replaceAll('`', '');
        const named = new Set(findNamedPaths(walk).filter((path) => path.endsWith('.ts') && isThere(path, files)));
        return [title, named.size];
      }),
  );
}
