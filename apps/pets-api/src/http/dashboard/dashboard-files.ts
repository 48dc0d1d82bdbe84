import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** One file of the built dashboard, in each coding that the build wrote. */
export interface DashboardFile {
  readonly contentType: string;
  readonly plain: Buffer;
  /** Encoded content, by the name that `Accept-Encoding` has for the coding. */
  readonly encoded: Readonly<Partial<Record<ContentCoding, Buffer>>>;
}

export interface DashboardFiles {
  /** The one page; null where the dashboard is not built. */
  readonly page: DashboardFile | null;
  /** The API reference, which the same build writes; null without a build. */
  readonly reference: DashboardFile | null;
  /** The page of set-up links; null without a build. */
  readonly setup: DashboardFile | null;
  /** The files that the pages load, by name. A name contains a hash of the content. */
  readonly assets: ReadonlyMap<string, DashboardFile>;
}

/** The codings that the build writes, the smallest first. */
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
 * Reads the built dashboard into memory: it is small, and no path of a client ever reaches the file system. Without a
 * build, the API works without a dashboard.
 */
export async function readDashboard(folder: string): Promise<DashboardFiles> {
  const assetsFolder = join(folder, 'assets');
  const names = await namesIn(assetsFolder);
  const assets = new Map<string, DashboardFile>();
  for (const name of names.filter((each) => extname(each) in contentTypes)) {
    assets.set(name, await readEncodings(assetsFolder, name, names));
  }
  const rootNames = await namesIn(folder);
  const readPage = async (name: string) =>
    rootNames.includes(name) ? await readEncodings(folder, name, rootNames) : null;
  return {
    page: await readPage('index.html'),
    reference: await readPage('reference.html'),
    setup: await readPage('setup.html'),
    assets,
  };
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

/**
 * Everything is loaded from this origin, without inline scripts or styles. `require-trusted-types-for` makes the
 * browser reject strings as markup, whatever an animal is called.
 */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-cache',
} as const;

/** Answers with a file in the coding that the client prefers. */
export function sendFile(
  file: DashboardFile,
  headers: Readonly<Record<string, string>>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Buffer {
  const coding = chooseCoding(file, request.headers['accept-encoding']);
  reply.type(file.contentType).headers(headers).header('vary', 'accept-encoding');
  if (coding !== null) reply.header('content-encoding', coding);
  return (coding !== null && file.encoded[coding]) || file.plain;
}
