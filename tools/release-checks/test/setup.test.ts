import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { REPOSITORY } from '../src/repository.js';
import { findNode } from './find-node.js';

// Each test starts npm a few times.
jest.setTimeout(120_000);

/** More than any process of Linux can have. */
const NO_PROCESS = 4_194_305;

/** A repository of four projects without packages of others, so that npm needs no registry. */
let clone: string;

const write = (path: string, content: unknown) => {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), JSON.stringify(content));
};

const project = (folder: string, content: object) =>
  write(`${folder}/package.json`, { name: `@pets/${folder.split('/')[1] ?? ''}`, version: '1.0.0', ...content });

const npm = (...args: readonly string[]) => promisify(execFile)('npm', args, { cwd: clone });

const setUp = (mode: string) =>
  promisify(execFile)(process.execPath, [join(clone, 'tools/setup.mjs'), mode], { cwd: clone });

const installed = () => readdirSync(join(clone, 'node_modules/@pets')).sort();

beforeEach(async () => {
  clone = mkdtempSync(join(tmpdir(), 'setup-test-'));
  for (const path of ['setup', 'setup.mjs']) {
    cpSync(join(REPOSITORY, 'tools', path), join(clone, 'tools', path), { recursive: true });
  }
  write('package.json', { name: 'pets', private: true, workspaces: ['apps/*', 'libs/*', 'tools/*'] });
  project('apps/cli', { dependencies: { '@pets/client': '1.0.0' }, bin: { pets: 'bin/pets.mjs' } });
  write('apps/cli/bin/pets.mjs', 'a program');
  project('libs/client', {});
  project('tools/dev-stack', {});
  project('tools/bench', { dependencies: { '@pets/dev-stack': '1.0.0' } });
  await npm('install', '--package-lock-only', '--offline');
});

afterEach(() => rmSync(clone, { recursive: true, force: true }));

describe('the set-up', () => {
  it('installs for a start what is started, and nothing else', async () => {
    await setUp('start');
    expect(installed()).toEqual(['cli', 'client', 'dev-stack']);
    expect(existsSync(join(clone, 'node_modules/.bin/pets'))).toBe(true);
  });

  it('adds the rest for everything else, and a start afterwards removes nothing', async () => {
    await setUp('start');
    await setUp('all');
    await setUp('start');
    expect(installed()).toEqual(['bench', 'cli', 'client', 'dev-stack']);
    project('tools/dev-stack', { description: 'changed' });
    await setUp('start');
    expect(installed()).toEqual(['bench', 'cli', 'client', 'dev-stack']);
  });

  it.each([[[]], [['start']]])('removes nothing of what npm installed after %j', async (before) => {
    for (const mode of before) await setUp(mode);
    await npm('install', '--offline');
    project('tools/dev-stack', { description: 'changed' });
    await setUp('start');
    expect(installed()).toEqual(['bench', 'cli', 'client', 'dev-stack']);
  });

  it('says nothing and does nothing where everything is done', async () => {
    await setUp('start');
    expect(await setUp('start')).toEqual({ stdout: '', stderr: '' });
  });

  it('names packages that were deleted, and installs them again', async () => {
    await setUp('start');
    rmSync(join(clone, 'node_modules/@pets/client'));
    const { stdout } = await setUp('start');
    expect(stdout).toContain(
      'setup: node_modules is incomplete: node_modules/@pets/client is missing, and installed again now\n',
    );
    expect(installed()).toEqual(['cli', 'client', 'dev-stack']);
  });

  it('says in its first line what to do where npm fails', async () => {
    write('package.json', { name: 'pets', private: true, dependencies: { 'is-even': '1.0.0' } });
    writeFileSync(join(clone, '.npmrc'), 'offline=true\n');
    await expect(setUp('start')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^setup: npm install failed\. Run "npm install" when this is corrected:\nnpm error /,
      ),
    });
  });

  it('begins again after one that was killed', async () => {
    write('.install/pid', NO_PROCESS);
    write(`.install/${NO_PROCESS}/node_modules/half/package.json`, {});
    await setUp('start');
    expect(installed()).toEqual(['cli', 'client', 'dev-stack']);
    expect(existsSync(join(clone, '.install'))).toBe(false);
  });

  it('waits for another one, and finds its work done', async () => {
    const results = await Promise.all([setUp('start'), setUp('start')]);
    expect(results.filter(({ stdout }) => /installing dependencies: \d/.test(stdout))).toHaveLength(1);
    expect(installed()).toEqual(['cli', 'client', 'dev-stack']);
  });

  it('keeps caches in node_modules when it replaces packages', async () => {
    await setUp('start');
    write('node_modules/.cache/kept.json', 'kept');
    await setUp('all');
    expect(readFileSync(join(clone, 'node_modules/.cache/kept.json'), 'utf8')).toBe('"kept"');
  });
});

describe('the scripts of package.json', () => {
  /** Scripts that run others, or nothing of node_modules. */
  const withoutSetup = ['generate', 'images:pin'];

  it('are preceded by a set-up', () => {
    const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    }; // ours
    const isSetUp = (name: string) => /^node tools\/setup\.mjs \w/.test(scripts[`pre${name}`] ?? '');
    const commands = Object.keys(scripts).filter((name) => !name.startsWith('pre'));
    expect(commands.filter((name) => !isSetUp(name))).toEqual(withoutSetup);
  });
});

describe('the command pets', () => {
  it('says in one line what is missing', async () => {
    cpSync(join(REPOSITORY, 'apps/cli/bin'), join(clone, 'apps/cli/bin'), { recursive: true });
    const started = promisify(execFile)(process.execPath, [join(clone, 'apps/cli/bin/pets.mjs')]);
    await expect(started).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^pets is not completely installed: Cannot find module '\S+'\. Install it again; .+ npm start\.\n$/,
      ),
    });
  });
});

const oldNode = findNode('18.20.8');

describeWhen(
  describe,
  'the set-up on Node 18',
  oldNode === null ? 'no Node 18 on this machine, and it could not be installed' : null,
  () => {
    it('says in one line which Node is needed', async () => {
      const started = promisify(execFile)(oldNode ?? '', [join(clone, 'tools/setup.mjs'), 'start'], { cwd: clone });
      await expect(started).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^setup: Node 20\.19 or newer is needed, and this is v18\.[\d.]+: .+\n$/),
      });
    });

    it('and so does the command pets', async () => {
      const started = promisify(execFile)(oldNode ?? '', [join(REPOSITORY, 'apps/cli/bin/pets.mjs'), '--version']);
      await expect(started).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^pets needs Node 20\.19 or newer; this is v18\.[\d.]+\.\n$/),
      });
    });
  },
);

describe('the oldest Node', () => {
  const programs = ['tools/setup.mjs', 'apps/cli/bin/pets.mjs'];
  const { engines } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    engines: { node: string };
  }; // ours
  const oldest = engines.node.replace('>=', '');

  it.each(programs)('%s: needs the one of package.json', async (program) => {
    const [major, minor] = oldest.split('.').map(Number);
    const before = `${major}.${Number(minor) - 1}.3`;
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${before}' } })`;
    const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, join(REPOSITORY, program)];
    await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
      stderr: expect.stringContaining(`Node ${oldest} or newer`),
    });
  });
});
