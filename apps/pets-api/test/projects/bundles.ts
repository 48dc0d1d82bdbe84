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

export const site = makeBundle([
  { path: './', type: 'Directory' },
  { path: './index.html', content: '<h1>Acme</h1>' },
  { path: './guide/start.html', content: '<h1>Start</h1>' },
]);
