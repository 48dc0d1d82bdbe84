import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { uploadProgress } from '../../src/http/require-progress.js';
import { unpackBundle } from '../../src/projects/deployments/unpack-bundle.js';
import { makeBundle, makeTar, paxRecord, type BundleEntry } from './bundles.js';

const MIB = 1024 * 1024;

let folder: string;
const limits = { progress: uploadProgress, space: { addBytes: () => undefined } };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-api-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const unpack = (...chunks: readonly Uint8Array[]) => unpackBundle(Readable.from(chunks), folder, limits);
const file = (path: string, content = 'x'): BundleEntry => ({ path, content });

/** An entry whose PAX header says something else than its own. */
const overruled = (name: string, value: string): BundleEntry[] => [
  { path: 'PaxHeader/a', type: 'ExtendedHeader', content: paxRecord(name, value) },
  file('a'),
];

describe('takes', () => {
  it('plain files, by the names they are asked by', async () => {
    const entries = [
      { path: './', type: 'Directory' } as const,
      file('./index.html', 'home'),
      file('Index.html', 'another'),
      file('cafe\u0301.html', 'coffee'),
      file(`${'long/'.repeat(40)}x`, 'long'),
      ...overruled('path', 'b/\u{1f436}.png'),
    ];
    const { files } = await unpack(makeBundle(entries));
    expect(files.map(({ path }) => path)).toEqual([
      'index.html',
      'Index.html',
      'caf\u00e9.html',
      `${'long/'.repeat(40)}x`,
      'b/\u{1f436}.png',
    ]);
    const contents = await Promise.all(files.map(({ unpackedAt }) => readFile(unpackedAt, 'utf8')));
    expect(contents).toEqual(['home', 'another', 'coffee', 'long', 'x']);
  });

  it('a long name of GNU tar', async () => {
    const path = 'n'.repeat(300);
    const entries: BundleEntry[] = [{ path: '././@LongLink', type: 'NextFileHasLongPath', content: path }, file('n')];
    expect((await unpack(makeBundle(entries))).files.map((each) => each.path)).toEqual([path]);
  });

  it('an archive that is padded at its end', async () => {
    const bundle = gzipSync(Buffer.concat([makeTar([file('a')]), Buffer.alloc(9 * MIB)]));
    expect((await unpack(bundle)).files).toHaveLength(1);
  });

  it('text that is very repetitive', async () => {
    const rows = Array.from(
      { length: 150_000 },
      (_, nth) => `{"id":${nth},"status":"available","name":"Rex","tags":[]}`,
    );
    expect((await unpack(makeBundle([file('animals.json', rows.join('\n'))]))).files).toHaveLength(1);
  });
});

describe('refuses', () => {
  it.each<[string, BundleEntry[]]>([
    ['a path that climbs out', [file('../evil')]],
    ['a path that climbs out later', [file('a/b/../../../evil')]],
    ['a path that ends in dots', [file('a/..')]],
    ['an absolute path', [file('/etc/evil')]],
    ['a path with an empty step', [file('a//b')]],
    ['a path with a backslash', [file('a\\b')]],
    ['a path with a line break', [file('a\nb')]],
    ['a path that is too long', overruled('path', 'a'.repeat(513))],
    ['a path that climbs out in its PAX header', overruled('path', '../../evil')],
    ['an absolute path in its PAX header', overruled('path', '/etc/evil')],
    [
      'a long path of GNU tar that climbs out',
      [{ path: '././@LongLink', type: 'NextFileHasLongPath', content: '../evil' }, file('a')],
    ],
    ['a symbolic link', [{ path: 'a', type: 'SymbolicLink', linkpath: '/etc/passwd' }]],
    ['a file below a symbolic link', [{ path: 'a', type: 'SymbolicLink', linkpath: '/tmp' }, file('a/b')]],
    ['a hard link', [file('a'), { path: 'b', type: 'Link', linkpath: 'a' }]],
    ['a character device', [{ path: 'a', type: 'CharacterDevice' }]],
    ['a block device', [{ path: 'a', type: 'BlockDevice' }]],
    ['a pipe', [{ path: 'a', type: 'FIFO' }]],
    ['a contiguous file', [{ path: 'a', type: 'ContiguousFile' }]],
    ['a name twice', [file('a'), file('./a', 'y')]],
    ['a name twice in two Unicode forms', [file('cafe\u0301'), file('caf\u00e9')]],
    ['a name that is file and folder', [file('a'), file('a/b')]],
    ['a name that is folder and file', [file('a/b'), file('a')]],
    ['no file', [{ path: 'a/', type: 'Directory' }]],
  ])('%s', async (_name, entries) => {
    await expect(unpack(makeBundle(entries))).rejects.toMatchObject({ code: 'invalid_bundle' });
    // Nothing but numbered files was ever written, and all of them in the folder.
    expect((await readdir(folder)).filter((name) => !/^\d+$/.test(name))).toEqual([]);
  });

  it.each<[string, () => Uint8Array]>([
    ['what is no gzip', () => Buffer.from('plain text')],
    ['nothing', () => new Uint8Array()],
    ['a tar that is not compressed', () => makeTar([file('a')])],
    ['what is compressed twice', () => gzipSync(makeBundle([file('a')]))],
    ['what is no tar', () => gzipSync(randomBytes(5_000))],
    ['a header with a wrong sum', () => gzipSync(makeTar([file('a')]).fill('b', 0, 1))],
    ['a name that is no UTF-8', () => gzipSync(withSum(makeTar([file('abc')]).fill(0xff, 0, 1)))],
    ['a sparse file', () => gzipSync(withSum(makeTar([file('a')]).fill('S', 156, 157)))],
    ['what ends inside a file', () => gzipSync(makeTar([file('a', 'x'.repeat(5_000))]).subarray(0, 2_000))],
    [
      'what ends inside the compression',
      () => makeBundle([file('a', randomBytes(9_000).toString('hex'))]).subarray(0, 4_000),
    ],
  ])('%s', async (_name, make) => {
    await expect(unpack(make())).rejects.toMatchObject({ code: 'invalid_bundle' });
  });

  it('an entry of a type that nobody knows, by its name', async () => {
    const unknown = gzipSync(withSum(makeTar([file('a.bin')]).fill('Z', 156, 157)));
    await expect(unpack(unknown)).rejects.toThrow('a.bin is of an unknown type. Only regular files are supported.');
  });

  it.each<[string, BundleEntry]>([
    ['by its header', { path: 'a', size: 201 * MIB }],
    ['by eight gigabytes', { path: 'a', size: 8 * 1024 * MIB - 1 }],
  ])('a file that is too large %s, before it comes', async (_name, entry) => {
    await expect(unpack(makeBundle([entry]))).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('a bundle that is too large as it is sent', async () => {
    const start = makeTar([{ path: 'a', size: 100 * MIB }]).subarray(0, 512);
    const chunk = gzipSync(randomBytes(MIB), { level: 0 });
    const chunks = [gzipSync(start), ...Array.from({ length: 51 }, () => chunk)];
    await expect(unpack(...chunks)).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it.each<[string, () => Buffer]>([
    ['in a file', () => makeTar([{ path: 'a', size: 150 * MIB }]).subarray(0, 512)],
    ['between the files', () => makeTar([file('a')]).subarray(0, 1_024)],
    ['from the start', () => Buffer.alloc(512)],
  ])('a bomb %s, long before it is unpacked', async (_name, begin) => {
    const zeros = gzipSync(Buffer.alloc(32 * MIB));
    let sent = 0;
    const chunks = function* () {
      for (yield gzipSync(begin()); sent < 200; sent++) yield zeros;
    };
    await expect(unpackBundle(Readable.from(chunks()), folder, limits)).rejects.toMatchObject({
      code: 'invalid_bundle',
      message: expect.stringContaining('200 times its size') as unknown,
    });
    expect(sent).toBeLessThan(100);
  });
});

/** Writes the sum of a header that was changed. */
function withSum(tar: Buffer): Buffer {
  tar.fill(' ', 148, 156);
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return tar;
}
