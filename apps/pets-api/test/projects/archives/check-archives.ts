import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { z } from 'zod';
import { uploadProgress } from '../../../src/http/require-progress.js';
import { unpackBundle } from '../../../src/projects/deployments/unpack-bundle.js';

/** Form of the file that `make-archives.mjs` writes. */
const archivesSchema = z.record(
  z.string(),
  z.union([
    z.object({ refused: z.string() }),
    z.object({ files: z.record(z.string(), z.string()), ignored: z.array(z.string()) }),
  ]),
);

export type Archives = z.infer<typeof archivesSchema>;

export async function readArchives(folder: string): Promise<Archives> {
  return archivesSchema.parse(JSON.parse(await readFile(join(folder, 'archives.json'), 'utf8')));
}

/**
 * Expects that the API unpacks from each archive what the program that made it unpacks, but for files that it names, or refuses
 * the archive with a sentence that helps.
 */
export async function checkArchives(folder: string, archives: Archives): Promise<void> {
  const found: [string, Archives[string]][] = [];
  for (const [name, expected] of Object.entries(archives))
    found.push([name, await unpackAs(join(folder, name), expected)]);
  expect(Object.fromEntries(found)).toEqual(archives);
}

/** Unpacks an archive as the API does, and returns the result in the form of what is expected. */
async function unpackAs(path: string, expected: Archives[string]): Promise<Archives[string]> {
  const target = await mkdtemp(join(tmpdir(), 'pets-api-test-'));
  try {
    const limits = { progress: uploadProgress, space: { addBytes: () => undefined } };
    const { files, ignored } = await unpackBundle(createReadStream(path), target, limits);
    const hashes = files.map(({ path: file, sha256 }) => [file, sha256] as const);
    const left = ignored.paths.map((file) => [file, 'files' in expected ? (expected.files[file] ?? '') : ''] as const);
    return { files: Object.fromEntries([...hashes, ...left]), ignored: ignored.paths.toSorted() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isExpected = 'refused' in expected && message.includes(expected.refused);
    return { refused: isExpected ? expected.refused : message };
  } finally {
    await rm(target, { recursive: true });
  }
}
