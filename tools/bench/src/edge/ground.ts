import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCertificateSet } from './certificate-set.js';
import type { Ground } from './contestant.js';

const FILE_BYTES = 10_240;

/** The certificates of so many names, and the site that every server serves. */
export async function prepareGround(folder: string, names: number): Promise<Ground> {
  const began = performance.now();
  const set = await openCertificateSet(names);
  process.stdout.write(`${names} certificates ready after ${((performance.now() - began) / 1_000).toFixed(1)} s\n`);
  const siteFolder = join(folder, 'site');
  await mkdir(siteFolder);
  const text = '<!doctype html><title>Bench</title>\n'.padEnd(FILE_BYTES, 'All animals are equal. ');
  await writeFile(join(siteFolder, 'index.html'), text);
  return { set, folder, siteFolder };
}
