import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import type { Pets } from './run-pets.js';

jest.setTimeout(180_000);

let started: PetsStack | undefined;
let folder: string;
let pets: Pets;

beforeAll(async () => {
  started = await openPetsStack();
  ({ folder, pets } = started);
});
afterAll(() => started?.stop());

it('a file of domains is imported and removed with one command each, and the report is saved', async () => {
  const file = join(folder, 'domains.csv');
  await writeFile(file, 'name\r\na.bulk-example.com\r\nb.bulk-example.com\r\n*.com\r\n');
  const added = await pets.json(['domains', 'import', file]);
  expect(added.outcome).toMatchObject({ status: 'refused', reason: 'lines_refused' });
  expect(added.outcome.result).toMatchObject({ state: 'finished', results: { created: 2, refused: 1 } });
  expect(added.code).toBe(4);
  expect(await readFile(`${file}.report.csv`, 'utf8')).toMatch(/\r\n2,b\.bulk-example\.com,created,[^]*invalid_domain/);

  const lines = join(folder, 'domains.ndjson');
  await writeFile(lines, '"a.bulk-example.com"\n{"name":"b.bulk-example.com"}\n');
  const begun = await pets.json(['domains', 'import', lines, '--no-wait']);
  expect([begun.code, begun.outcome.reason]).toEqual([0, 'started']);
  const saved = join(folder, 'saved.ndjson');
  const removed = await pets.json(['domains', 'import', lines, '--remove', '--report', saved]);
  expect(removed.outcome.result).toMatchObject({ state: 'finished', results: { removed: 2 } });
  expect((await readFile(saved, 'utf8')).trim().split('\n')).toHaveLength(2);
});

it('a file that cannot be read, or is no import, is refused', async () => {
  expect((await pets.json(['domains', 'import', join(folder, 'missing.csv')])).outcome).toMatchObject({
    status: 'usage',
    reason: 'file_unreadable',
  });
  const file = join(folder, 'wrong.csv');
  await writeFile(file, 'domain\na.com\n');
  expect((await pets.json(['domains', 'import', file])).outcome).toMatchObject({ reason: 'invalid_import' });
});
