import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openOtherBuild, runSuiteOf } from '../src/against/other-build.js';

/** A repository whose commits have benchmarks of a line each. */
let repository: string;
let builds: string;
beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), 'pets-other-build-'));
  builds = join(repository, 'builds');
  git('init', '--quiet');
});
afterAll(() => rm(repository, { recursive: true, force: true }));

const part = { part: {}, limitMinutes: 1 };

describe('the build of another commit', () => {
  it('sets itself up, and runs its own suite', async () => {
    const commit = await commitBenchmark('console.log(`ratio ${process.argv[2]} 0.5`)');
    const build = openOtherBuild(commit, { repository, builds });
    const { figures } = await runSuiteOf(build, 'engine', part);
    expect(Object.fromEntries(figures)).toEqual({ engine: 0.5 });
  });

  it('is checked out again when its checkout is not complete', async () => {
    const commit = await commitBenchmark('console.log(`ratio again 1`)');
    const build = openOtherBuild(commit, { repository, builds });
    await rm(join(build.folder, 'tools'), { recursive: true });
    const { figures } = await runSuiteOf(openOtherBuild(commit, { repository, builds }), 'engine', part);
    expect([...figures.keys()]).toEqual(['again']);
  });

  it('is refused by name when there is no such commit', () => {
    expect(() => openOtherBuild('no-such-commit', { repository, builds })).toThrow('there is no commit no-such-commit');
  });

  it('is refused by name when it cannot be built, with what was said', async () => {
    const commit = await commitBenchmark('', 'echo the compiler says no; exit 3');
    const open = () => openOtherBuild(commit, { repository, builds });
    expect(open).toThrow(`${commit} cannot be built: npm run prebench failed`);
    expect(open).toThrow('the compiler says no');
  });

  it.each([
    ['ends early', 'console.error(`no Redis`); process.exit(3)', /failed: exited with code 3\nno Redis/],
    ['fails', 'console.log(`failed: engine: no Redis`)', /failed: no Redis/],
    ['prints nothing', '', /failed: it printed no figure/],
  ])('is refused by name when its suite %s', async (_name, program, reason) => {
    const commit = await commitBenchmark(program);
    const build = openOtherBuild(commit, { repository, builds });
    await expect(runSuiteOf(build, 'engine', part)).rejects.toThrow(commit);
    await expect(runSuiteOf(build, 'engine', part)).rejects.toThrow(reason);
  });
});

/** @returns the commit */
async function commitBenchmark(
  program: string,
  prebench = `mkdir -p node_modules/.bin && ln -sf "$NODE" node_modules/.bin/node`,
) {
  const scripts = { prebench: prebench.replace('$NODE', process.execPath) };
  await writeFile(join(repository, 'package.json'), JSON.stringify({ name: 'other', scripts }));
  execFileSync('mkdir', ['-p', join(repository, 'tools/bench/dist')]);
  await writeFile(join(repository, 'tools/bench/dist/main.js'), program);
  git('add', '--force', 'package.json', 'tools');
  git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'bench');
  return git('rev-parse', '--short', 'HEAD').trim();
}

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { cwd: repository, encoding: 'utf8' });
}
