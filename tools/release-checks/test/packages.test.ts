import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { findNode } from './find-node.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const LIMIT_MS = 300_000;
const packages = ['client', 'domain-setup', 'cli'] as const;
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

/** Dependencies of the client, packed from what is installed, so that no registry is needed. */
const dependencies = ['openapi-fetch', 'openapi-typescript-helpers', 'eventsource-parser'];

/** The oldest version that the packages support, by its last release. */
const oldestNode = findNode('20.20.2');

let folder: string;
let project: string;
let server: Server;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-packages-'));
  project = join(folder, 'project');
  await mkdir(project);
  await run(process.execPath, [join(root, 'tools/packages/build.mjs'), join(folder, 'built')], { timeout: LIMIT_MS });
  const built = packages.map((name) => join(folder, 'built', name));
  const sources = [...built, ...dependencies.map((name) => join(root, 'node_modules', name))];
  const pack = ['pack', '--ignore-scripts', '--pack-destination', folder, ...sources];
  await run('npm', pack, { cwd: folder, env, timeout: LIMIT_MS });
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => join(folder, name));
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const install = ['install', '--offline', '--no-audit', '--no-fund', ...tarballs];
  await run('npm', install, { cwd: project, env, timeout: LIMIT_MS });
  await writeFile(join(project, 'consumer.ts'), consumer);
  await writeFile(join(project, 'plain.js'), plain);
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"id":9007199254740993,"name":"Rex"}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // of a TCP server
}, LIMIT_MS);
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const plain = `
import { createPetsClient, stringifyWithBigInt } from '@pets/client';
const pets = createPetsClient({ baseUrl: process.argv[2], apiKey: 'pets_test_key' });
const { data } = await pets.GET('/v1/pets/{petId}', { params: { path: { petId: 1 } } });
console.log(stringifyWithBigInt({ id: data.id, isExact: data.id === 9007199254740993n, name: data.name }));
`;

const consumer = `
import { createPetsClient, type components } from '@pets/client';
const pets = createPetsClient({ baseUrl: 'http://127.0.0.1', apiKey: null });
export async function nameOf(petId: number): Promise<string> {
  const { data, error } = await pets.GET('/v1/pets/{petId}', { params: { path: { petId } } });
  if (error !== undefined) throw new Error(error.message);
  const pet: components['schemas']['Pet'] = data;
  return pet.name;
}
import '@pets/domain-setup';
export function show(token: string): HTMLElement {
  const element = document.createElement('pets-domain-setup');
  element.token = token;
  element.texts = { zone: { actions: { add: 'Anlegen' } }, next: { live: (name) => name + ' läuft' } };
  // @ts-expect-error no such text
  element.texts = { steps: { other: 'x' } };
  return element;
}
// @ts-expect-error no such path
export const unknown = pets.GET('/v1/pests');
`;

const compilerOptions = {
  ...{ module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'] },
  ...{ strict: true, noUncheckedIndexedAccess: true, skipLibCheck: false, types: [], noEmit: true },
};

describe('the packed packages', () => {
  it.each(packages)('%s: has what a package needs, and nothing else', async (name) => {
    const installed = join(project, 'node_modules/@pets', name);
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>; // ours
    expect(manifest).toMatchObject({ license: 'MIT', type: 'module', engines: { node: '>=20.19' } });
    expect(manifest['description']).toEqual(expect.any(String));
    expect(Object.keys(manifest['dependencies'] ?? {}).filter((each) => each.startsWith('@pets/'))).toEqual([]);
    const files = await readdir(installed);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist', 'package.json']));
    expect(files).not.toContain('src');
  });

  it('import no private package', async () => {
    for (const name of packages) {
      const dist = join(project, 'node_modules/@pets', name, 'dist');
      for (const file of await readdir(dist, { recursive: true })) {
        if (!/\.(?:js|ts)$/.test(file)) continue;
        expect(await readFile(join(dist, file), 'utf8')).not.toMatch(/(?:from|import) ?\(?["']@pets\//);
      }
    }
  });

  it(
    'have types that a strict compiler takes, libraries included',
    async () => {
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
      const compiled = await run(join(root, 'node_modules/.bin/tsc'), ['-p', project], { timeout: LIMIT_MS }).catch(
        (error: { stdout: string }) => error,
      );
      expect(compiled.stdout).toBe('');
    },
    LIMIT_MS,
  );

  describe(`on Node ${process.version}`, () => testOn(process.execPath));
});

describeWhen(
  describe,
  'the packed packages on the oldest Node',
  oldestNode === null ? 'no Node 20 on this machine, and it could not be installed' : null,
  () => testOn(oldestNode ?? ''),
);

describeWhen(
  describe,
  'a release',
  existsSync(join(root, '.git')) ? null : 'this is no clone, and versions come from its history',
  () => {
    it(
      'is one command, which needs no tag, and whose dry run shows versions and changelogs',
      async () => {
        const clone = await cloneWithoutTags(join(folder, 'clone'));
        const path = { PATH: [join(root, 'node_modules/.bin'), env.PATH].join(delimiter) };
        const { stdout, stderr } = await run('/bin/sh', ['-c', `${await releaseCommand()} --dry-run`], {
          cwd: clone,
          env: { ...env, ...path, NX_DAEMON: 'false', NX_TUI: 'false' },
          timeout: LIMIT_MS,
        });
        for (const project of ['libs/client', 'libs/domain-setup', 'apps/cli']) {
          expect(stdout).toContain(`written to manifest: ${project}/package.json`);
          expect(stripVTControlCharacters(stderr + stdout)).toMatch(
            new RegExp(`(?:CREATE|UPDATE) ${project}/CHANGELOG\\.md \\[dry-run\\]`),
          );
        }
      },
      LIMIT_MS,
    );

    it('gets a version from every commit that changed the sources of a package', async () => {
      const { release } = JSON.parse(await readFile(join(root, 'nx.json'), 'utf8')) as NxConfiguration; // ours
      const { stdout } = await run('git', ['log', '--format=%s', '--', ...sources], { cwd: root, maxBuffer: 2 ** 26 });
      const areas = new Set(stdout.trim().split('\n').map(areaOf));
      expect(areas.size).toBeGreaterThan(0);
      const notInNxJson = [...areas].filter((area) => !(area in release.conventionalCommits.types));
      expect(notInNxJson).toEqual([]);
    });
  },
);

/** Sources of the packages: their own, and the private libraries that become part of them. */
const sources = [
  'apps/cli/bin',
  ...[
    'apps/cli',
    'libs/client',
    'libs/domain-setup',
    'libs/async',
    'libs/contracts',
    'libs/dns',
    'libs/dns-providers',
    'libs/domains',
  ].map((each) => `${each}/src`),
];

type NxConfiguration = { release: { conventionalCommits: { types: Record<string, unknown> } } };

/** Nx calls the type of a subject without exactly one area `__INVALID__`. */
function areaOf(subject: string): string {
  return /^(?<area>[^\s():!]+)(?:\s*\([^)]+\))?!?: ./u.exec(subject)?.groups?.['area'] ?? '__INVALID__';
}

/** The command that CONTRIBUTING.md names. */
async function releaseCommand(): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { release: string };
  }; // ours
  return scripts.release;
}

/** The last commit, as it is released: with the configuration of this folder, and what is installed here. */
async function cloneWithoutTags(target: string): Promise<string> {
  await run('git', ['clone', '--quiet', '--no-tags', root, target], { env, timeout: LIMIT_MS });
  await copyFile(join(root, 'nx.json'), join(target, 'nx.json'));
  await symlink(join(root, 'node_modules'), join(target, 'node_modules'));
  return target;
}

function testOn(node: string): void {
  it('the client works in plain JavaScript, with every digit', async () => {
    const { stdout } = await run(node, ['plain.js', url], { cwd: project, timeout: LIMIT_MS });
    expect(stdout).toBe('{"id":9007199254740993,"isExact":true,"name":"Rex"}\n');
  });

  it('the command runs', async () => {
    const path = { PATH: [dirname(node), env.PATH].join(delimiter) };
    const pets = (args: string[], more = {}) =>
      run(join(project, 'node_modules/.bin/pets'), args, {
        env: { ...path, HOME: folder, ...more },
        timeout: LIMIT_MS,
      });
    const { stdout } = await pets(['--version']);
    const { version } = JSON.parse(await readFile(join(root, 'apps/cli/package.json'), 'utf8')) as { version: string }; // ours
    expect(stdout).toBe(`${version}\n`);
    const closed = { PETS_API_URL: 'http://127.0.0.1:9', PETS_API_KEY: 'pets_test_key' };
    await expect(pets(['whoami'], closed)).rejects.toMatchObject({ code: 6 });
  });
}
