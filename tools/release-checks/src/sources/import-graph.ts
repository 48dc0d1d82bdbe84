import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { REPOSITORY } from '../repository.js';

/** Imports of each file, by path. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Reads imports by a relative path, including those of types alone: a reader has to follow them as well. */
export function readImports(sources: readonly string[]): ImportGraph {
  const known = new Set(sources);
  return new Map(
    sources.map((source) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(REPOSITORY, source), 'utf8'), true, true);
      const paths = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'));
      return [source, paths.flatMap((path) => findSource(join(dirname(source), path), known) ?? [])] as const;
    }),
  );
}

/** `x.js` is what `x.ts` or `x.tsx` becomes. */
function findSource(path: string, known: ReadonlySet<string>): string | undefined {
  const stem = path.replace(/\.js$/, '');
  return [path, `${stem}.ts`, `${stem}.tsx`].find((candidate) => known.has(candidate));
}

/** Ways through a graph that end where they began; none where no file leads back to itself. */
export function findCycles(graph: ImportGraph): readonly string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): void => {
    const begin = way.indexOf(file);
    if (begin >= 0) cycles.push([...way.slice(begin), file].join(' → '));
    if (begin >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) follow(next, [...way, file]);
    done.add(file);
  };
  for (const file of graph.keys()) follow(file, []);
  return cycles;
}

/** Folders of what others have written, and of what programs make and nobody commits. */
const passedOver = new Set(['node_modules', 'dist', 'out-tsc', 'test-results']);

/** Files that are made, each from what stands in its first lines. */
const generated = new Set(['libs/client/src/schema.ts']);

/** Every file of the repository with its path from there, without what begins with a dot. */
export function listFiles(folder = ''): readonly string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || passedOver.has(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

/** The programs, tests and style sheets that people write. */
export function listSources(): readonly string[] {
  return listFiles().filter((path) => /\.(tsx?|mjs|js|css)$/.test(path) && !generated.has(path));
}
