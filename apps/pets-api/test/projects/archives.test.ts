import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { checkArchives, readArchives } from './archives/check-archives.js';

it('archives of the programs that people use are unpacked as by those programs, or refused with what to do', async () => {
  const folder = join(import.meta.dirname, 'archives');
  const archives = await readArchives(folder);
  expect(Object.keys(archives).length).toBeGreaterThan(30);
  await checkArchives(folder, archives);
});
