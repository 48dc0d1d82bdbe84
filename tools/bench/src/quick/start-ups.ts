import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { built, run, type Stack } from '@pets/lab';
import { freePort, untilReady } from '@pets/testing/processes';
import { plainFastify, startContestant } from '../api/contestants.js';
import { cpuSeconds } from '../engine/processes.js';
import { measurePairs, type Pair, type Report } from './reading.js';
import { countOpens, traced, tracingOpens } from './system-calls.js';

interface Program {
  readonly name: 'pets-api' | 'domains-worker' | 'edge';
  readonly env: Readonly<Record<string, string>>;
  /** The setting of the port that answers `/readyz`. */
  readonly port: 'PORT' | 'HEALTH_PORT';
}

/** From the start of each program until it is ready: files that it opens, and CPU time beside a small server on Fastify. */
export async function measureStartUps(stack: Stack, report: Report): Promise<void> {
  const { api, worker, edge } = stack.environments();
  const running = await stack.startApi();
  try {
    const programs: readonly Program[] = [
      { name: 'pets-api', env: api, port: 'PORT' },
      { name: 'domains-worker', env: worker, port: 'HEALTH_PORT' },
      { name: 'edge', env: { ...edge, API_URL: running.url }, port: 'HEALTH_PORT' },
    ];
    for (const program of programs) {
      const file = join(stack.folder, `opens-${program.name}`);
      const countOpened = async () => {
        const started = await start(program, (command) => tracingOpens(file, command));
        await started.stop();
        return countOpens(await readFile(file, 'utf8'));
      };
      await report([await traced(`start/${program.name}-opened-files`, countOpened)]);
    }
    await report(await measurePairs('start', () => startAll(programs, stack.postgres.url)));
  } finally {
    await running.stop();
  }
}

/** Each program, and the peer at the same time. */
async function startAll(programs: readonly Program[], databaseUrl: string): Promise<Pair> {
  const [ours, peer] = [new Map<string, number>(), new Map<string, number>()];
  for (const program of programs) {
    const [own, other] = await Promise.all([cpuOfStart(program), cpuOfPeer(databaseUrl)]);
    ours.set(program.name, own);
    peer.set(program.name, other);
  }
  return { ours: Object.fromEntries(ours), peer: Object.fromEntries(peer) };
}

async function cpuOfStart(program: Program): Promise<number> {
  const started = await start(program);
  const cpu = cpuSeconds(started.pid);
  await started.stop();
  return cpu;
}

async function cpuOfPeer(databaseUrl: string): Promise<number> {
  const peer = await startContestant(plainFastify, { DATABASE_URL: databaseUrl });
  const cpu = cpuSeconds(peer.pid);
  await peer.stop();
  return cpu;
}

/** Starts a program and waits until it is ready. */
async function start({ name, env, port }: Program, wrap = (command: readonly string[]) => command) {
  const own = await freePort();
  const [command = '', ...args] = wrap([process.execPath, built(name)]);
  const child = run({ name, command, args, env: { ...env, [port]: String(own) } });
  await untilReady({ name, readyUrl: `http://127.0.0.1:${own}/readyz` });
  return child;
}
