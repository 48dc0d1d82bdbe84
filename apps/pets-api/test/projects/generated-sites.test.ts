import { execFileSync } from 'node:child_process';
import { createReadStream, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { uploadProgress } from '../../src/http/require-progress.js';
import { unpackBundle } from '../../src/projects/deployments/unpack-bundle.js';

const sites = join(import.meta.dirname, '../../../../tools/generated-sites/built');

it.each(readdirSync(sites).filter((name) => name.endsWith('.tar.gz')))(
  '%s is taken with all its files',
  async (name) => {
    const archive = join(sites, name);
    const target = await mkdtemp(join(tmpdir(), 'pets-api-test-'));
    try {
      const limits = { progress: uploadProgress, space: { addBytes: () => undefined } };
      const { files, ignored } = await unpackBundle(createReadStream(archive), target, limits);
      const env = { ...process.env, LC_ALL: 'C.UTF-8' };
      const listed = execFileSync('tar', ['-tzf', archive, '--quoting-style=literal'], { encoding: 'utf8', env });
      const paths = listed.split('\n').filter((path) => path !== '' && !path.endsWith('/'));
      expect(files.map(({ path }) => path).toSorted()).toEqual(paths.map((path) => path.slice('./'.length)).toSorted());
      expect(ignored.paths).toEqual([]);
    } finally {
      await rm(target, { recursive: true });
    }
  },
);
