import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';

/** Hashes of the two style elements that bull-board's scripts insert: the Redis logo, and lists without scroll bars. */
const styleHashes =
  "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU=' 'sha256-kLmvWqfziFavKtqHqRsb90f006UAK2Dmd0It5Iz2KFA='";

/**
 * Everything is loaded from this origin. The page has no inline script, and no inline style but those two; `data:` is for
 * icons. `base-uri` allows the page's own base element, and no other site.
 */
export const pagePolicy =
  `default-src 'none'; script-src 'self'; style-src 'self' ${styleHashes}; connect-src 'self'; img-src 'self' data:; ` +
  "font-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/**
 * The page around bull-board's scripts. It replaces bull-board's own page, which loads a font from Google on every visit
 * and has inline styles.
 */
export function renderBoardPage({ base, config, entryPaths }: BoardPage): string {
  const loads = entryPaths.map((path) =>
    path.endsWith('.css') ? `<link rel="stylesheet" href="${path}">` : `<script defer src="${path}"></script>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<base href="${base}/">
<title>Queues</title>
<link rel="icon" type="image/svg+xml" id="fav-logo" href="static/images/logo.svg">
<body class="preload">
<script id="__UI_CONFIG__" type="application/json">${escapeJson(config)}</script>
<div id="root"></div>
<noscript>The queue board requires JavaScript.</noscript>
${loads.join('\n')}
</body>
</html>
`;
}

export interface BoardPage {
  /** The path of the board, without a trailing slash. */
  readonly base: string;
  /** For the page's scripts. */
  readonly config: object;
  readonly entryPaths: readonly string[];
}

/** Escaped, so that no text can close the script element. */
function escapeJson(config: object): string {
  return JSON.stringify(config).replaceAll('<', '\\u003c');
}

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

/** The folder of bull-board's pages; without it, bull-board searches for them with `eval`. */
export const boardFolder = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));

/** Reads bull-board's built pages into memory, so that no path from a client reaches the file system. */
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

/** @throws Error when bull-board's template has changed: the page would be empty */
function findEntryPaths(template: string): readonly string[] {
  const paths = [...template.matchAll(/(?:href|src)="(static\/(?:css|js)\/[\w./-]+)"/g)].map(([, path = '']) => path);
  const kinds = new Set(paths.map((path) => extname(path)));
  if (!kinds.has('.css') || !kinds.has('.js')) throw new Error('the page of this bull-board version is not supported');
  return paths;
}
