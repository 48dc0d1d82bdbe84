import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runStartCommand } from '../src/index.js';
import { claimDataFolder, isOwnDataFolder } from '../src/supervisor/bring-up.js';

let folder: string;

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'pets-data-'))));
afterEach(() => rm(folder, { recursive: true }));

const beforeOne = 'was written by a version before 1.0, and this one cannot read it: move it away, or set DATA_DIR';

describe('a data folder', () => {
  it('is claimed while it is empty, or does not exist', async () => {
    for (const path of [folder, join(folder, 'new')]) {
      expect(await isOwnDataFolder(path)).toBe(false);
      await claimDataFolder(path);
      expect(await isOwnDataFolder(path)).toBe(true);
    }
  });

  it('may have files of others', async () => {
    await writeFile(join(folder, 'notes.txt'), '');
    expect(await isOwnDataFolder(folder)).toBe(false);
  });

  it.each(['secrets', 'dev-ca', 'postgres'])('of before 1.0 is refused, by its %s', async (name) => {
    await mkdir(join(folder, name));
    await expect(isOwnDataFolder(folder)).rejects.toThrow(`DATA_DIR: ${folder} ${beforeOne}`);
  });

  it('of a later format is refused', async () => {
    await writeFile(join(folder, 'format'), '2\n');
    await expect(isOwnDataFolder(folder)).rejects.toThrow('was written by a newer version');
  });
});

describe('a start on a data folder of before 1.0', () => {
  it('stops with one sentence, and changes nothing', async () => {
    await mkdir(join(folder, 'secrets'));
    await writeFile(join(folder, 'secrets', 'app-secret'), 'kept');
    const lines: string[] = [];
    await expect(runStartCommand({ dataDir: folder, onLine: (line) => lines.push(line) })).rejects.toThrow(
      'exited with code 1',
    );
    expect(lines.filter((line) => line.startsWith('stopped: '))).toEqual([
      expect.stringContaining(`stopped: DATA_DIR: ${folder} ${beforeOne}`),
    ]);
    expect(await readdir(folder, { recursive: true })).toEqual(['secrets', 'secrets/app-secret']);
    expect(await readFile(join(folder, 'secrets', 'app-secret'), 'utf8')).toBe('kept');
  });
});
