import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

export interface BundleEntry {
  readonly path: string;
  readonly content?: string | Buffer;
  readonly type?: EntryType;
  readonly linkpath?: string;
  /** A false size for the header. */
  readonly size?: number;
}

type EntryType =
  | 'File'
  | 'Directory'
  | 'SymbolicLink'
  | 'Link'
  | 'CharacterDevice'
  | 'BlockDevice'
  | 'FIFO'
  | 'ContiguousFile'
  | 'ExtendedHeader'
  | 'NextFileHasLongPath';

/** A gzipped tar made header by header, so that it can hold what no honest packer writes. */
export function makeBundle(entries: readonly BundleEntry[]): Buffer {
  return gzipSync(makeTar(entries));
}

export function makeTar(entries: readonly BundleEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = 'File', linkpath, size }) => {
    const header = Buffer.alloc(512);
    new Header({
      path,
      mode: 0o644,
      size: size ?? Buffer.byteLength(content),
      type,
      ...(linkpath !== undefined && { linkpath }),
      mtime: new Date(0),
    }).encode(header, 0);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    Buffer.from(content).copy(body);
    return [header, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A record of a PAX header, which overrules the header after it. */
export function paxRecord(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`;
  const digits = String(Buffer.byteLength(rest)).length;
  const length = Buffer.byteLength(rest) + digits;
  return `${String(length).length === digits ? length : length + 1}${rest}`;
}

/** Contents by path. */
export type Files = Readonly<Record<string, string | Buffer>>;

export function bundleOf(files: Files): Buffer {
  return makeBundle(Object.entries(files).map(([path, content]) => ({ path, content })));
}

/** The manifest of files, as an upload sends it. */
export function manifestOf(files: Files): string {
  return Object.entries(files)
    .map(([path, content]) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      return `${JSON.stringify({ path, sha256, bytes: Buffer.byteLength(content) })}\n`;
    })
    .join('');
}

export const siteFiles: Files = { 'index.html': '<h1>Acme</h1>', 'guide/start.html': '<h1>Start</h1>' };

export const site = makeBundle([
  { path: './', type: 'Directory' },
  ...Object.entries(siteFiles).map(([path, content]) => ({ path: `./${path}`, content })),
]);
