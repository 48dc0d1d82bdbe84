import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { copyRepository, runStartCommand, type RunningStack } from '@pets/dev-stack';
import { freePort, repositoryRoot, waitUntil } from '@pets/testing/processes';
import { settings } from '../settings.js';
import { median, type Figure } from '../figure.js';

/**
 * From an edit of a source of pets-api until the API answers with it: under `npm run dev`, and with what one does without
 * it, which is to stop `npm start`, build, and start it again. Each side has its own copy of the repository and its data.
 */

const run = promisify(execFile);

const EDITED = 'apps/pets-api/src/http/start-page.module.ts';
const ROUNDS = 7;
/** A pause like a person's: meanwhile the next process gets ready. */
const BETWEEN_EDITS_MS = 3_000;
const LIMIT_MS = 120_000;
const START_LIMIT_MS = 300_000;
const ASK_EVERY_MS = 10;
/** Limit for an edit. */
const MOST_MS = 1_500;
/** Ratio of the time without the loop when that was decided (7.4 s) to the limit. */
const BAR = 4.9;
const built = ['tools/dev-stack', 'apps/pets-api', 'apps/domains-worker', 'apps/edge'];

interface Side {
  readonly copy: string;
  readonly dataDir: string;
}

export async function benchDev(): Promise<readonly Figure[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'pets-bench-dev-')));
  const [loop, builds] = ['loop', 'builds'].map((name): Side => {
    const copy = join(folder, name);
    copyRepository(copy);
    return { copy, dataDir: join(folder, `${name}-data`) };
  }) as [Side, Side]; // two names
  const running = new Set<RunningStack>();
  const start = async (mode: 'dev' | 'start', { copy, dataDir }: Side) => {
    const env = { PATH: settings.PATH, DASHBOARD_PORT: String(await freePort()) };
    const stack = await runStartCommand({ mode, root: copy, dataDir, env, timeoutMs: START_LIMIT_MS });
    running.add(stack);
    return stack;
  };
  const stop = async (stack: RunningStack) => {
    running.delete(stack);
    await stack.stop();
  };
  try {
    copyBuilds(builds.copy);
    await build(builds.copy);
    const dev = await start('dev', loop);
    let current = await start('start', builds);
    const [oursMs, theirsMs]: [number[], number[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const title = `Edit ${round}`;
      await sleep(BETWEEN_EDITS_MS);
      const ours = await timed(async () => {
        edit(loop.copy, title);
        await untilAnswered(dev, title);
      });
      const theirs = await timed(async () => {
        edit(builds.copy, title);
        await stop(current);
        await build(builds.copy);
        current = await start('start', builds);
        await untilAnswered(current, title);
      });
      if (round === 0) continue; // each warms up its caches
      oursMs.push(ours);
      theirsMs.push(theirs);
      print(`edit ${round}: ${seconds(ours)} under npm run dev, ${seconds(theirs)} by a build and a start`);
    }
    const [ours, theirs] = [median(oursMs), median(theirsMs)];
    print(`median: ${seconds(ours)} under npm run dev, ${seconds(theirs)} by a build and a start`);
    return [
      { name: 'dev/build-and-start-over-ours', ratio: theirs / ours, bar: BAR },
      { name: `dev/${MOST_MS}-ms-over-ours`, ratio: MOST_MS / ours, bar: 1 },
    ];
  } finally {
    await Promise.all([...running].map(stop));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the builds, so that a build compiles only what has changed, as it does in a clone in use. */
function copyBuilds(copy: string): void {
  for (const parent of ['apps', 'libs', 'tools']) {
    for (const name of readdirSync(join(copy, parent))) {
      const dist = join(parent, name, 'dist');
      if (existsSync(join(repositoryRoot, dist)))
        cpSync(join(repositoryRoot, dist), join(copy, dist), { recursive: true });
    }
  }
}

async function build(copy: string): Promise<void> {
  const compiler = join(repositoryRoot, 'node_modules/@typescript/native/bin/tsc');
  const projects = built.map((project) => join(project, 'tsconfig.lib.json'));
  await run(process.execPath, [compiler, '--build', ...projects], { cwd: copy, timeout: LIMIT_MS });
}

function edit(copy: string, title: string): void {
  const file = join(copy, EDITED);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/<title>[^<]*</, `<title>${title}<`));
}

async function untilAnswered({ dev }: RunningStack, title: string): Promise<void> {
  const isAnswered = async () => {
    const response = await fetch(dev.apiUrl, { headers: { connection: 'close' } });
    return (await response.text()).includes(`<title>${title}<`);
  };
  await waitUntil(isAnswered, { timeoutMs: LIMIT_MS, intervalMs: ASK_EVERY_MS, message: 'the edit to be answered' });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
