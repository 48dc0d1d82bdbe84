import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { list, type ReadEntry } from 'tar';
import { CommandFailure } from '../outcome/outcome.js';
import { checkFolder, packFiles } from './upload-folder.js';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pets-cli-test-'));
  folder = join(root, 'site');
  await add('index.html');
});
afterEach(() => rm(root, { recursive: true }));

async function add(path: string, content = path, below = folder): Promise<void> {
  await mkdir(dirname(join(below, path)), { recursive: true });
  await writeFile(join(below, path), content);
}

/** The types of the packed entries by their paths. */
async function pack(...allowed: readonly string[]) {
  const { ignored, paths: checked } = await checkFolder(folder, new Set(allowed));
  const gzippedTar = await packFiles(folder, checked);
  const entries = new Map<string, string>();
  const reader = list({ onReadEntry: ({ path, type }: ReadEntry) => entries.set(path, type) });
  await new Promise((resolve, reject) => {
    reader.on('end', () => resolve(null)).on('error', reject);
    Readable.from([gzippedTar]).pipe(reader);
  });
  expect(checked.length).toBe(entries.size);
  return { paths: [...entries.keys()].map((path) => path.slice(2)), types: new Set(entries.values()), ignored };
}

const refusal = (...allowed: readonly string[]) =>
  checkFolder(folder, new Set(allowed)).catch((error: unknown) =>
    error instanceof CommandFailure ? error.message : error,
  );

it('keeps every file but those of operating systems, which it lists', async () => {
  const kept = ['.htaccess', '.well-known/security.txt', '._alone', 'a/b'];
  const ignored = ['.DS_Store', '._a', '._index.html', '__MACOSX/x', 'a/Thumbs.db'];
  for (const path of [...kept, ...ignored]) await add(path);
  const packed = await pack();
  expect(packed.paths.sort()).toEqual([...kept, 'index.html'].sort());
  expect([...packed.ignored].sort()).toEqual(ignored);
  expect((await pack('.DS_Store')).paths).toContain('.DS_Store');
});

describe('secrets', () => {
  it.each(['.env', 'a/.env.local', '.git/config', 'key.txt'])(
    'are refused, unless they are named: %s',
    async (path) => {
      await add(path, '-----BEGIN PRIVATE KEY-----\n');
      expect(await refusal()).toMatch(/^(?:\.env|a\/\.env\.local|\.git|key\.txt) .*--allow PATH\.$/);
      expect((await pack(path)).paths).toContain(path);
    },
  );
});

describe('links', () => {
  it('within the folder are followed, hard links too', async () => {
    await add('a/b/page.html');
    await symlink('a/b', join(folder, 'latest'));
    await symlink(join(folder, 'index.html'), join(folder, 'home.html'));
    await link(join(folder, 'index.html'), join(folder, 'copy.html'));
    const { paths, types } = await pack();
    expect(paths).toEqual(['a/b/page.html', 'copy.html', 'home.html', 'index.html', 'latest/page.html']);
    expect([...types]).toEqual(['File']);
  });

  it.each([
    ['out of the folder', '../secret.txt', 'leads out of the folder'],
    ['to a folder beside it', '../site-2', 'leads out of the folder'],
    ['nowhere', 'missing', 'leads nowhere'],
    ['to the folder itself', '.', 'a folder that contains it'],
  ])('that lead %s are refused', async (_what, target, message) => {
    await add('secret.txt', 'x', root);
    await add('site-2/a', 'x', root);
    await symlink(target, join(folder, 'link'));
    expect(await refusal()).toContain(`link cannot be deployed: it is a link`);
    expect(await refusal()).toContain(message);
  });
});
