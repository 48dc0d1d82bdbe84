import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

export interface BundleEntry {
  readonly path: string;
  readonly content?: string;
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice';
  readonly linkpath?: string;
}

/** A gzipped tar made header by header, so that it can hold what no honest packer writes. */
export function makeBundle(entries: readonly BundleEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = 'File', linkpath }) => {
    const header = Buffer.alloc(512);
    new Header({
      path,
      mode: 0o644,
      size: Buffer.byteLength(content),
      type,
      ...(linkpath !== undefined && { linkpath }),
      mtime: new Date(0),
    }).encode(header, 0);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    body.write(content);
    return [header, body];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

export const site = makeBundle([
  { path: './', type: 'Directory' },
  { path: './index.html', content: '<h1>Acme</h1>' },
  { path: './guide/start.html', content: '<h1>Start</h1>' },
]);
