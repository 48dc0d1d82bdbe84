import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundleLimits } from '@pets/contracts';
import { list } from 'tar';
import { packSite, packingLimits, withoutCommonFolder, type SiteFile } from './pack-site.js';
import { unzip } from './unzip.js';

const contents: Readonly<Record<string, string>> = {
  'index.html': '<h1>Home</h1>',
  'empty.txt': '',
  'block.bin': 'x'.repeat(512),
  'docs/a b.html': 'a',
  'docs/café/日本.html': 'b',
  [`${'deep/'.repeat(30)}end.html`]: 'c',
  [`${'n'.repeat(101)}.html`]: 'd',
};
const files: SiteFile[] = Object.entries(contents).map(([path, text]) => ({ path, content: new Blob([text]) }));

/** Archives that real programs made. */
const archives = new URL('../../../../pets-api/test/projects/archives/', import.meta.url);

const expected = JSON.parse(readFileSync(new URL('archives.json', archives), 'utf8')) as Record<
  string,
  { readonly files: Readonly<Record<string, string>> }
>;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'packing-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads an archive with `tar` of npm, which the API uses. */
async function unpack(archive: Blob): Promise<Record<string, string>> {
  const file = join(folder, 'site.tar.gz');
  writeFileSync(file, Buffer.from(await archive.arrayBuffer()));
  const found: Record<string, string> = {};
  await list({
    file,
    strict: true,
    onReadEntry: (entry) => {
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () => (found[entry.path] = Buffer.concat(chunks).toString()));
    },
  });
  return found;
}

describe('packSite', () => {
  it('packs every path and content', async () => {
    expect(await unpack(await packSite(files))).toEqual(contents);
  });

  it('packs the same files into the same bytes, in any order', async () => {
    const [one, other] = [await packSite(files), await packSite(files.toReversed())];
    expect(Buffer.from(await one.arrayBuffer()).equals(Buffer.from(await other.arrayBuffer()))).toBe(true);
  });

  it('has the limits of the API', async () => {
    expect(packingLimits).toEqual({ files: bundleLimits.files, bytes: bundleLimits.unpackedBytes });
    const many = Array.from({ length: packingLimits.files + 1 }, (_, at) => ({
      path: String(at),
      content: new Blob(),
    }));
    await expect(packSite(many)).rejects.toThrow('more than 10000 files');
    await expect(packSite([])).rejects.toThrow('no files');
  });
});

describe('withoutCommonFolder', () => {
  const pathsOf = (...paths: string[]) =>
    withoutCommonFolder(paths.map((path) => ({ path, content: new Blob() }))).map(({ path }) => path);

  it('leaves out the folder that all files are in', () => {
    expect(pathsOf('dist/index.html', 'dist/docs/a.html')).toEqual(['index.html', 'docs/a.html']);
    expect(pathsOf('dist/index.html', 'distance/a.html')).toEqual(['dist/index.html', 'distance/a.html']);
    expect(pathsOf('index.html', 'docs/a.html')).toEqual(['index.html', 'docs/a.html']);
    expect(pathsOf()).toEqual([]);
  });
});

describe('unzip', () => {
  interface Entry {
    readonly path: string;
    readonly text?: string;
    /** 0: stored, 8: deflated; others do not exist here. */
    readonly method?: number;
    /** A false size for the directory. */
    readonly bytes?: number;
  }

  function zip(...entries: readonly Entry[]): Buffer<ArrayBuffer> {
    const locals: Buffer[] = [];
    const directory: Buffer[] = [];
    let at = 0;
    for (const { path, text = '', method = 8, bytes = Buffer.byteLength(text) } of entries) {
      const [name, content] = [Buffer.from(path), method === 0 ? Buffer.from(text) : deflateRawSync(text)];
      // From the method to the length of the name: the same in both headers.
      const common = Buffer.alloc(20);
      common.writeUInt16LE(method, 0);
      common.writeUInt32LE(crc32(text), 6);
      common.writeUInt32LE(content.length, 10);
      common.writeUInt32LE(bytes, 14);
      common.writeUInt16LE(name.length, 18);
      const local = Buffer.concat([Buffer.from('PK\u0003\u0004\u0014\0\0\0'), common, Buffer.alloc(2), name, content]);
      const end = Buffer.alloc(16);
      end.writeUInt32LE(at, 12);
      directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0\u0014\0\0\0'), common, end, name]));
      locals.push(local);
      at += local.length;
    }
    const end = Buffer.alloc(22);
    end.write('PK\u0005\u0006', 0, 'latin1');
    end.writeUInt16LE(entries.length, 8);
    end.writeUInt16LE(entries.length, 10);
    end.writeUInt32LE(Buffer.concat(directory).length, 12);
    end.writeUInt32LE(at, 16);
    return Buffer.concat([...locals, ...directory, end]);
  }

  const read = async (archive: Blob) =>
    Object.fromEntries(
      await Promise.all((await unzip(archive)).map(async ({ path, content }) => [path, await content.text()] as const)),
    );

  it('reads stored and deflated files, and leaves out folders and what macOS adds', async () => {
    const archive = zip(
      { path: 'site/', method: 0 },
      { path: 'site/index.html', text: 'Home'.repeat(1_000) },
      { path: 'site/café.txt', text: 'stored', method: 0 },
      { path: 'site/empty.txt' },
      { path: '__MACOSX/site/._index.html', text: 'x' },
    );
    expect(await read(new Blob([archive]))).toEqual({
      'site/index.html': 'Home'.repeat(1_000),
      'site/café.txt': 'stored',
      'site/empty.txt': '',
    });
  });

  it.each(['7z-zip.zip', 'bsdtar-zip.zip', 'zip.zip'])('reads %s as its tool made it', async (name) => {
    const files = await unzip(new Blob([readFileSync(new URL(name, archives))]));
    const found = await Promise.all(
      files.map(async ({ path, content }) => {
        const bytes = Buffer.from(await content.arrayBuffer());
        return [path, createHash('sha256').update(bytes).digest('hex')] as const;
      }),
    );
    // The same files, as GNU tar packed them.
    expect(Object.fromEntries(found)).toEqual(expected['gnu-tar-gnu.tar.gz']?.files);
  });

  it('refuses what it cannot read', async () => {
    const text = 'text'.repeat(100);
    const archive = zip({ path: 'a.txt', text });
    const damaged = 'not a complete zip archive';
    await expect(unzip(new Blob(['no archive']))).rejects.toThrow(damaged);
    await expect(unzip(new Blob([archive.subarray(0, archive.length - 30)]))).rejects.toThrow(damaged);
    await expect(unzip(new Blob([archive.fill(0xff, 40, 45)]))).rejects.toThrow(damaged);
    await expect(unzip(new Blob([zip({ path: 'a.txt', text, method: 12 })]))).rejects.toThrow(
      'a.txt is packed in a way that is not supported',
    );
  });

  it('reads no more than the directory names', async () => {
    const archive = zip({ path: 'a.txt', text: 'a'.repeat(1_000_000), bytes: 10 });
    await expect(unzip(new Blob([archive]))).rejects.toThrow('not a complete zip archive');
  });
});
