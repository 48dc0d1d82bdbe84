import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { checkArchives, readArchives } from './archives/check-archives.js';

it('archives that the programs of this machine make are unpacked as by those programs, or refused with what to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pets-archives-'));
  try {
    execFileSync(process.execPath, [join(import.meta.dirname, 'archives/make-archives.mjs'), folder]);
    const archives = await readArchives(folder);
    expect(Object.keys(archives)).toContain('gnu-tar-pax.tar.gz');
    await checkArchives(folder, archives);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 60_000);
