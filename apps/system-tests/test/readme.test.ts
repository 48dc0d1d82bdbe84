/** The commands of README.md, as they are printed there, in a folder that looks like the repository with a stack of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { repositoryRoot } from '@pets/dev-stack';
import { describeWhen, isInstalled, startStack, type RunningStack } from '@pets/testing';

jest.setTimeout(180_000);

const COMMANDS_LIMIT_MS = 120_000;
const missing = ['npm', 'curl'].filter((program) => !isInstalled(program));

describeWhen(describe, 'README.md', missing.length === 0 ? null : `not installed: ${missing.join(', ')}`, () => {
  let folder: string;
  let stack: RunningStack;
  let commands: string;

  beforeAll(async () => {
    commands = tryItByHand(await readFile(join(repositoryRoot, 'README.md'), 'utf8'));
    folder = await mkdtemp(join(tmpdir(), 'pets-readme-'));
    for (const name of ['package.json', 'node_modules', 'apps', 'tools'])
      await symlink(join(repositoryRoot, name), join(folder, name));
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    stack = await startStack({ dataDir: join(folder, '.data'), env });
  });
  afterAll(async () => {
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (script: string) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const options = { cwd: folder, env, timeout: COMMANDS_LIMIT_MS };
    return (await promisify(execFile)('bash', ['-ec', script], options)).stdout;
  };

  it.each(['the first time', 'again on the same stack'])(
    'its commands deploy, serve and remove a domain %s',
    async () => {
      expect(await run(commands)).toContain('<h1>');
    },
  );

  it.each(['the first time', 'again on the same stack'])('the demo succeeds %s', async () => {
    expect(await run('node tools/dev-stack/dist/demo.js')).toContain('Every step succeeded.');
  });
});

/** The first block of commands of the section. */
function tryItByHand(page: string): string {
  const [, section = ''] = page.split('\n## Try it by hand\n');
  const [, block] = /^```sh\n([\s\S]*?)^```$/m.exec(section) ?? [];
  if (block === undefined) throw new Error('README.md has no block of commands under "Try it by hand"');
  return block;
}
