import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingParts } from '../src/podman.js';

const all = ['crun', 'netavark', 'aardvark-dns'];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-parts-'));
});
afterEach(() => rm(folder, { recursive: true }));

const missingWith = async (programs: readonly string[], hybridControllers = '') => {
  for (const program of programs) await writeFile(join(folder, program), '');
  return missingParts(['/nowhere', folder], { hasSystemd: true, hybridControllers });
};

describe('what Podman needs besides itself', () => {
  it('is named where it is missing', async () => {
    expect(await missingWith([])).toEqual(['crun or runc', 'netavark', 'aardvark-dns']);
  });

  it.each(all)('is complete with %s and not without', async (program) => {
    expect(await missingWith(all.filter((each) => each !== program))).toHaveLength(1);
    expect(await missingWith([program])).toEqual([]);
  });

  it('is runc and not crun where crun refuses to start', async () => {
    expect(await missingWith(all, 'hugetlb')).toEqual(['runc']);
  });
});
