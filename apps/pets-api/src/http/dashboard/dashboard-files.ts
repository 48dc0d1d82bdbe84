import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import Negotiator from 'negotiator';

/** One file of the built dashboard, in the encodings that the build made of it. */
export interface DashboardFile {
  readonly contentType: string;
  readonly plain: Buffer;
  /** By the name that `Accept-Encoding` has for it. */
  readonly encoded: Readonly<Partial<Record<ContentCoding, Buffer>>>;
}

export interface DashboardFiles {
  /** The one page; null where the dashboard is not built. */
  readonly page: DashboardFile | null;
  /** What it loads, by file name. Their names carry a hash of their content. */
  readonly assets: ReadonlyMap<string, DashboardFile>;
}

/** Those that the build writes beside each file, the smallest first. */
const contentCodings = ['br', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

const suffixes = { br: '.br', gzip: '.gz' } as const satisfies Record<ContentCoding, string>;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the built dashboard into memory: it is small, and so no path that a client sends ever meets the file system.
 * Without a build there is no dashboard, and the API works all the same.
 */
export async function readDashboard(folder: string): Promise<DashboardFiles> {
  const assetsFolder = join(folder, 'assets');
  const names = await namesIn(assetsFolder);
  const assets = new Map<string, DashboardFile>();
  for (const name of names.filter((each) => extname(each) in contentTypes)) {
    assets.set(name, await readEncodings(assetsFolder, name, names));
  }
  const rootNames = await namesIn(folder);
  const page = rootNames.includes('index.html') ? await readEncodings(folder, 'index.html', rootNames) : null;
  return { page, assets };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

async function readEncodings(folder: string, name: string, names: readonly string[]): Promise<DashboardFile> {
  const encoded: Partial<Record<ContentCoding, Buffer>> = {};
  for (const coding of contentCodings) {
    const file = name + suffixes[coding];
    if (names.includes(file)) encoded[coding] = await readFile(join(folder, file));
  }
  return {
    contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
    plain: await readFile(join(folder, name)),
    encoded,
  };
}

/** The coding that the client prefers (RFC 9110 §12.5.3), the smallest of equal ones; null for the uncompressed file. */
export function chooseCoding(file: DashboardFile, acceptEncoding: string | undefined): ContentCoding | null {
  const available = [...contentCodings.filter((coding) => file.encoded[coding] !== undefined), 'identity'] as const;
  const client = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const [coding = 'identity'] = client.encodings(available, { preferred: available });
  return coding === 'identity' ? null : coding;
}
