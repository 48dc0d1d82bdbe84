import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { waitUntil } from '@pets/testing/processes';

const fixtures = resolve(import.meta.dirname, 'fixtures');
const sourceResolution = join(fixtures, 'source-resolution.mjs');

let folder: string;
let journal: string;
let stack: FakeStack | undefined;

type FakeStack = { process: ChildProcess; output: () => string; exit: Promise<[number | null, string | null]> };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-supervisor-'));
  journal = join(folder, 'journal');
  await writeFile(journal, '');
});
afterEach(async () => {
  stack?.process.kill('SIGKILL');
  await waitUntil(() => servicePids().every((pid) => !isAlive(pid)), { message: 'the fake services to end' });
  await rm(folder, { recursive: true, force: true });
});

async function start(
  services: string[],
  command: readonly string[] = [process.execPath],
  env = {},
): Promise<FakeStack> {
  const [program = '', ...first] = command;
  const args = [
    '--disable-warning=ExperimentalWarning',
    '--import',
    sourceResolution,
    join(fixtures, 'fake-stack.ts'),
    journal,
  ];
  const child = spawn(program, [...first, ...args, ...services], { stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exit = new Promise<[number | null, string | null]>((done) => child.once('exit', (...how) => done(how)));
  stack = { process: child, output: () => output, exit };
  await waitUntil(() => output.includes('\nready\n'), { message: 'the fake stack' }).catch((error: unknown) => {
    throw new Error(output, { cause: error });
  });
  return stack;
}

const events = () => readFileSync(journal, 'utf8').trim().split('\n');
const stops = () => events().filter((line) => !line.includes(' pid '));
const servicePids = () => events().flatMap((line) => (line.includes(' pid ') ? [Number(line.split(' ')[2])] : []));

function isAlive(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (existsSync('/proc/self')) return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'));
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const allGone = () => servicePids().every((pid) => !isAlive(pid));

describe('the supervisor', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('stops its children by rank at %s and exits with 0', async (signal) => {
    const {
      process: supervisor,
      exit,
      output,
    } = await start(['database:obedient:4', 'edge:obedient:0', 'api:obedient:1']);
    supervisor.kill(signal);
    supervisor.kill(signal); // asked twice, stopped once
    expect(await exit).toEqual([0, null]);
    expect(stops()).toEqual(['edge SIGTERM', 'api SIGTERM', 'database SIGTERM']);
    expect(output()).toContain('[edge] up\n');
    expect(
      output()
        .split('\n')
        .filter((line) => line.startsWith('received')),
    ).toEqual([`received ${signal}`]);
    // A line that a child wrote before may come in between.
    expect(output()).toMatch(/\nstopping\n(?:\[\w+\] up\n)*stopped\n$/);
  });

  it('kills a child that does not stop within its limit, with everything in its group', async () => {
    const { process: supervisor, exit } = await start(['edge:stubborn:0:200', 'api:parent:1']);
    supervisor.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(stops()).toEqual(['edge SIGTERM', 'api SIGTERM']);
    await waitUntil(allGone, { message: 'children of children to be gone' });
  });

  it('stops everything and says which and why when a child dies, and exits with 1', async () => {
    const { exit, output } = await start(['database:obedient:4', 'api:dies-on-usr1:1']);
    const api = events().find((line) => line.startsWith('api pid'));
    process.kill(Number(api?.split(' ')[2]), 'SIGUSR1');
    expect(await exit).toEqual([1, null]);
    expect(stops()).toEqual(['database SIGTERM']);
    expect(output()).toContain('stopped: api exited with code 7\n');
  });

  it('leaves no orphan when it is killed outright: the reaper ends all, in the same order', async () => {
    const { process: supervisor, exit } = await start(['database:obedient:4', 'edge:stubborn:0:200', 'api:parent:1']);
    supervisor.kill('SIGKILL');
    expect(await exit).toEqual([null, 'SIGKILL']);
    await waitUntil(allGone, { message: 'orphans to be ended' });
    expect(stops()).toEqual(['edge SIGTERM', 'api SIGTERM', 'database SIGTERM']);
  });

  it('stops everything when the reaper has gone, since nobody would clean up after it', async () => {
    const { exit, output } = await start(['api:obedient:1']);
    process.kill(Number(/^reaper (\d+)$/m.exec(output())?.[1]), 'SIGKILL');
    expect(await exit).toEqual([1, null]);
    expect(stops()).toEqual(['api SIGTERM']);
    expect(output()).toContain('stopped: the reaper, which ends orphans, has gone');
  });

  it('stops when what started it was killed, even through a shell', async () => {
    const script = `const { spawn } = require('node:child_process');
      spawn('sh', ['-c', '"$@" & wait', 'sh', ...process.argv.slice(1)], { stdio: 'inherit' });`;
    const launcher = [process.execPath, '-e', script, '--', process.execPath];
    const { process: npm } = await start(['api:obedient:1'], launcher, {
      STOP_WITH_PARENT: 'yes',
      PATH: process.env.PATH,
    });
    npm.kill('SIGKILL');
    await waitUntil(allGone, { message: 'the stack to end with what started it' });
    expect(stops()).toEqual(['api SIGTERM']);
  });
});
