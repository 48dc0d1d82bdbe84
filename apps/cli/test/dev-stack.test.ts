import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findDevStack } from '../src/settings/stored-settings.js';
import { Pets } from './run-pets.js';

const dev = { apiUrl: 'http://127.0.0.1:1', apiKey: 'key', projectId: 'p', dnsControlUrl: null };
let folder: string;
let below: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-dev-stack-'));
  below = join(folder, 'site/pages');
  file = join(folder, '.data/dev.json');
  await mkdir(join(folder, '.data'));
  await mkdir(below, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => rm(file, { force: true }));

const write = (text: string) => writeFile(file, text, { mode: 0o600 });

describe('findDevStack', () => {
  it('finds no stack where none is up', async () => expect(await findDevStack(undefined, below)).toBeNull());

  it.each(['.', 'site', 'site/pages'])('finds the stack that is up from the folder %s', async (start) => {
    await write(JSON.stringify(dev));
    const { apiUrl, apiKey, projectId } = dev;
    const found = { apiUrl, apiKey, projectId, folder: join(folder, '.data') };
    expect(await findDevStack(undefined, join(folder, start))).toEqual(found);
  });

  it.each(['.data', '/absolute', 'of/several', ''])('finds the stack of the data folder %j', async (dataFolder) => {
    const relative = dataFolder.startsWith('/') ? join(folder, dataFolder) : dataFolder;
    const data = resolve(folder, relative || '.data');
    await mkdir(data, { recursive: true });
    await writeFile(join(data, 'dev.json'), JSON.stringify(dev), { mode: 0o600 });
    expect(await findDevStack(relative, below)).toMatchObject({ folder: data });
  });

  it('does not use the stack of the default folder for another one', async () => {
    await write(JSON.stringify(dev));
    expect(await findDevStack('elsewhere', folder)).toBeNull();
  });

  it.each([
    ['of another machine', JSON.stringify({ ...dev, apiUrl: 'http://api.pets.example' })],
    ['that begins like one of this machine', JSON.stringify({ ...dev, apiUrl: 'http://127.0.0.1.pets.example' })],
    ['after a user name', JSON.stringify({ ...dev, apiUrl: 'http://127.0.0.1@pets.example' })],
    ['that is none', '{'],
  ])('ignores an address %s', async (_name, text) => {
    await write(text);
    expect(await findDevStack(undefined, folder)).toBeNull();
  });

  it('ignores a file that others can write', async () => {
    await write(JSON.stringify(dev));
    await chmod(file, 0o666);
    expect(await findDevStack(undefined, folder)).toBeNull();
  });
});

describe('pets', () => {
  const args = ['projects', 'list'];
  const using = () => `using the development stack in ${join(folder, '.data')} (http://127.0.0.1:1)`;

  it('says which stack it uses', async () => {
    await write(JSON.stringify(dev));
    const { code, stdout, stderr } = await new Pets({ HOME: folder }).run(args, { cwd: below });
    expect(code).toBe(6);
    expect(stdout).toBe('');
    expect(stderr).toContain(using());
  });

  it('uses the stack of DATA_DIR', async () => {
    await write(JSON.stringify({ ...dev, apiUrl: 'http://127.0.0.1:2' }));
    const data = join(folder, 'data');
    await mkdir(data);
    await writeFile(join(data, 'dev.json'), JSON.stringify(dev), { mode: 0o600 });
    const { code, stderr } = await new Pets({ HOME: folder, DATA_DIR: data }).run(args, { cwd: tmpdir() });
    expect(code).toBe(6);
    expect(stderr).toContain(`using the development stack in ${data} (http://127.0.0.1:1)`);
  });

  it.each([
    ['an address', { PETS_API_URL: 'http://127.0.0.1:2' }],
    ['a key', { PETS_API_KEY: 'key' }],
  ])('uses no stack where %s is given', async (_name, env) => {
    await write(JSON.stringify(dev));
    const { code, stderr } = await new Pets({ HOME: folder, ...env }).run(args, { cwd: below });
    expect(code).toBe(2);
    expect(stderr).not.toContain(using());
  });

  it('uses no stack where a login is stored', async () => {
    await write(JSON.stringify(dev));
    const home = join(folder, 'home');
    await mkdir(join(home, '.config/pets'), { recursive: true });
    await writeFile(join(home, '.config/pets/config.json'), '{"apiUrl":"http://127.0.0.1:3","apiKey":"stored"}');
    const { stderr } = await new Pets({ HOME: home }).run(args, { cwd: below });
    expect(stderr).toContain('http://127.0.0.1:3');
    expect(stderr).not.toContain(using());
  });
});
