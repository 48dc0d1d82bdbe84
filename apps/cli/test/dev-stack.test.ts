import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readDevStack } from '../src/settings/dev-stack.js';

const dev = { apiUrl: 'http://127.0.0.1:3000', apiKey: 'key', projectId: 'p', dnsControlUrl: null };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-dev-stack-'));
  await mkdir(join(folder, '.data'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function readWritten(text: string) {
  await writeFile(join(folder, '.data/dev.json'), text);
  return readDevStack(folder);
}

describe('readDevStack', () => {
  it('finds no stack where none is up', async () => expect(await readDevStack(folder)).toBeNull());

  it('finds the address, the key and the project of the stack that is up', async () => {
    const { apiUrl, apiKey, projectId } = dev;
    expect(await readWritten(JSON.stringify(dev))).toEqual({ apiUrl, apiKey, projectId });
  });

  it.each([
    ['of another machine', JSON.stringify({ ...dev, apiUrl: 'http://api.pets.example' })],
    ['that begins like one of this machine', JSON.stringify({ ...dev, apiUrl: 'http://127.0.0.1.pets.example' })],
    ['after a user name', JSON.stringify({ ...dev, apiUrl: 'http://127.0.0.1@pets.example' })],
    ['that is none', '{'],
  ])('ignores an address %s', async (_name, text) => expect(await readWritten(text)).toBeNull());
});
