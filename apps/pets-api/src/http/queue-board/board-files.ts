import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';

/** One file that the page of the board loads. */
interface BoardFile {
  readonly contentType: string;
  readonly content: Buffer;
  /** Whether its name has a hash of its content. */
  readonly isHashed: boolean;
}

export interface BoardFiles {
  /** By path below `static/`, with slashes. */
  readonly files: ReadonlyMap<string, BoardFile>;
  /** Those that the page begins with, in order: `static/js/main.1a2b.js`. */
  readonly entryPaths: readonly string[];
}

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

/** Where bull-board's pages are: bull-board would otherwise look for them with `eval`. */
export const boardFolder = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));

/** Reads bull-board's built pages into memory, so that no path that a client sends ever meets the file system. */
export async function readBoardFiles(): Promise<BoardFiles> {
  const folder = join(boardFolder, 'dist/static');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, BoardFile>();
  for (const { name, parentPath } of entries.filter((entry) => entry.isFile() && extname(entry.name) in contentTypes)) {
    const path = join(parentPath, name);
    files.set(relative(folder, path).split(sep).join('/'), {
      contentType: contentTypes[extname(name)] ?? '',
      content: await readFile(path),
      isHashed: /\.[0-9a-f]{10}\.(?:js|css)$/.test(name),
    });
  }
  return { files, entryPaths: findEntryPaths(await readFile(join(boardFolder, 'dist/index.ejs'), 'utf8')) };
}

/** @throws Error when the template is not what it was: then the page would stay empty */
function findEntryPaths(template: string): readonly string[] {
  const paths = [...template.matchAll(/(?:href|src)="(static\/(?:css|js)\/[\w./-]+)"/g)].map(([, path = '']) => path);
  const kinds = new Set(paths.map((path) => extname(path)));
  if (!kinds.has('.css') || !kinds.has('.js')) throw new Error('bull-board has another page than the one known here');
  return paths;
}
