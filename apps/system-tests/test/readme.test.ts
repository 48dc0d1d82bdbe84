/** The commands of README.md, as they are printed there, and others on the same stack, in a folder like the repository. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runStartCommand, type RunningStack } from '@pets/dev-stack';
import { describeWhen, freePort, isInstalled } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';

jest.setTimeout(180_000);

const COMMANDS_LIMIT_MS = 120_000;
const missing = ['npm', 'curl'].filter((program) => !isInstalled(program));

describeWhen(describe, 'README.md', missing.length === 0 ? null : `not installed: ${missing.join(', ')}`, () => {
  let folder: string;
  let stack: RunningStack;
  let commands: string;
  let debugPort: number;

  beforeAll(async () => {
    commands = tryItByHand(await readFile(join(repositoryRoot, 'README.md'), 'utf8'));
    folder = await mkdtemp(join(tmpdir(), 'pets-readme-'));
    for (const name of ['package.json', 'node_modules', 'apps', 'tools'])
      await symlink(join(repositoryRoot, name), join(folder, name));
    debugPort = await freePort();
    const debug = { DEBUG_SERVICE: 'pets-api', DEBUG_PORT: String(debugPort) };
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...debug };
    stack = await runStartCommand({ dataDir: join(folder, '.data'), env });
  });
  afterAll(async () => {
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (script: string, cwd = folder) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const options = { cwd, env, timeout: COMMANDS_LIMIT_MS };
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

  it('the administrator’s command finds the stack of this folder', async () => {
    const output = await run('npm run --silent admin -- key list --organization ' + stack.dev.organizationId);
    expect(JSON.parse(output)).toMatchObject({ keys: expect.arrayContaining([expect.anything()]) });
  });

  it('its help needs no stack and no settings', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    for (const name of ['package.json', 'node_modules', 'apps', 'tools'])
      await symlink(join(repositoryRoot, name), join(empty, name));
    expect(await run('npm run --silent admin -- --help', empty)).toContain('organization create');
  });

  it('a second start on the same folder says in one line that a stack runs', async () => {
    await expect(run('node tools/dev-stack/dist/main.js')).rejects.toMatchObject({
      code: 1,
      stderr: `stopped: a stack already runs on ${join(folder, '.data')}, at ${stack.dev.apiUrl}: \`npm run demo\` uses it, and Ctrl-C in its terminal stops it\n`,
    });
    expect((await fetch(`${stack.dev.apiUrl}/readyz`)).ok).toBe(true);
  });

  it('DEBUG_SERVICE opens the inspector of that process alone', async () => {
    const opened = stack.lines.filter((line) => line.includes('Debugger listening on'));
    expect(opened).toEqual([expect.stringContaining(`[pets-api] Debugger listening on ws://127.0.0.1:${debugPort}/`)]);
    const targets = await (await fetch(`http://127.0.0.1:${debugPort}/json/list`)).json();
    expect(targets).toEqual([
      expect.objectContaining({ url: expect.stringMatching(/\/apps\/pets-api\/dist\/main\.js$/) }),
    ]);
  });
});

/** The first block of commands of the section. */
function tryItByHand(page: string): string {
  const [, section = ''] = page.split('\n## Try it by hand\n');
  const [, block] = /^```sh\n([\s\S]*?)^```$/m.exec(section) ?? [];
  if (block === undefined) throw new Error('README.md has no block of commands under "Try it by hand"');
  return block;
}
