import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDataFolder } from '../src/store/data-folder.js';
import { EdgeFixture } from './edge-fixture.js';
import { mainProgram, sourceOptions } from './edge-processes.js';
import { rowsOf, siteOf } from './store-fixture.js';

let folder: string;

beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'edge-data-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const checked = (content: string) => `${createHash('sha256').update(content).digest('hex')}\n${content}`;

/** The files of edges before 1.0: with the routes in one text, and with a route store but without a format. */
const layouts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a table in one text': {
    'edge-id': `${randomUUID()}\n`,
    'snapshot.json': checked(
      JSON.stringify({ epoch: 'e1', version: 7, thumbprint: 'T', contactAtMs: 1, protocol: 2, routes: [] }),
    ),
    'contact.json': checked(JSON.stringify({ epoch: 'e1', contactAtMs: 1 })),
    'certificates/c1.json': checked('{}'),
  },
  'a deregistered edge': { 'edge-id': `${randomUUID()}\n`, 'snapshot.void.json': checked('{}') },
  'a route store without a format': {
    'edge-id': `${randomUUID()}\n`,
    'routes.current': checked(JSON.stringify({ generation: 1, tableId: 't' })),
    'routes-1.db': JSON.stringify(rowsOf({ 'a.test': siteOf('c1') })),
    'warm.json': '["a.test"]',
  },
};

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

/** Every file with its content and times. */
async function contents(): Promise<unknown> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const { mtimeMs, mode, ino } = await stat(join(folder, name));
      return [name, mtimeMs, mode, ino, await readFile(join(folder, name), 'utf8').catch(() => 'a folder')];
    }),
  );
}

const remedy = 'move it away or set another folder; the edge gets its routes from pets-api';

describe('the folder of an edge', () => {
  it('is made with its format, which the next start finds', async () => {
    const made = join(folder, 'data', 'edge');
    await openDataFolder(made);
    expect(await readdir(made)).toEqual(['format']);
    expect(await readFile(join(made, 'format'), 'utf8')).toBe('1\n');
    await writeFile(join(made, 'edge-id'), randomUUID());
    await openDataFolder(made);
  });

  it('may be the root of a file system, and have been made by a start that was interrupted', async () => {
    await mkdir(join(folder, 'lost+found'));
    await writeFile(join(folder, `format.${randomUUID()}.tmp`), '');
    await openDataFolder(folder);
    expect(await readdir(folder)).toContain('format');
  });

  it.each(Object.entries(layouts))('is refused unchanged with %s', async (_name, files) => {
    await write(files);
    const before = await contents();
    const reason = 'was written by a version before 1.0';
    await expect(openDataFolder(folder)).rejects.toThrow(`EDGE_DATA_DIR ${folder}: ${reason}; ${remedy}`);
    expect(await contents()).toEqual(before);
  });

  it.each(['2', ''])('is refused unchanged with the format "%s"', async (format) => {
    await write({ format, 'edge-id': `${randomUUID()}\n` });
    const before = await contents();
    const reason = `has format "${format}", and this edge reads 1`;
    await expect(openDataFolder(folder)).rejects.toThrow(`EDGE_DATA_DIR ${folder}: ${reason}; ${remedy}`);
    expect(await contents()).toEqual(before);
  });
});

it('an edge on a folder from before 1.0 ends with one sentence and code 1, and changes nothing', async () => {
  await write(layouts['a table in one text'] ?? {});
  const before = await contents();
  const fixture = await EdgeFixture.build();
  try {
    const env = { ...fixture.env, EDGE_DATA_DIR: folder, NODE_ENV: 'production' };
    const ended = spawnSync(process.execPath, [...sourceOptions, mainProgram], { env, encoding: 'utf8' });
    const line = `configuration: EDGE_DATA_DIR ${folder}: was written by a version before 1.0; ${remedy}\n`;
    expect([ended.status, ended.stdout, ended.stderr]).toEqual([1, '', line]);
    expect(await contents()).toEqual(before);
  } finally {
    await fixture.tearDown();
  }
});
