import type { Ground } from '../edge/contestant.js';
import { median, quantile, type Figure } from '../figure.js';
import { originSettings } from '../settings.js';
import { floor, ours, withRunners, type Runner } from './contestants.js';
import { driveOrigin, type Asked } from './origin-driver.js';

const { BENCH_ORIGIN_ROUNDS: ROUNDS, BENCH_ORIGIN_WARM_UP: WARM_UP } = originSettings;

const SMALL = 1_024;
const SECONDS = 2;
const BAR_MS = 2;

/** The time that a forwarded request takes longer than one to the application itself, with one client that waits for each answer. */
export async function measureLatency(ground: Ground): Promise<Figure[]> {
  return withRunners(ground, [ours(), floor], async (runners, application) => {
    const direct: Runner = {
      name: 'direct',
      serving: { pid: 0, port: application.port, stop: () => Promise.resolve() },
    };
    const all = [...runners, direct];
    const p99s = new Map<string, number[]>(all.map(({ name }) => [name, []]));
    for (const runner of runners) await visit(ground, runner, WARM_UP);
    for (let round = 0; round < ROUNDS; round++) {
      for (const runner of round % 2 === 0 ? all : all.toReversed())
        p99s.get(runner.name)?.push(quantile(await visit(ground, runner, SECONDS), 0.99));
    }
    const p99Of = (name: string) => median(p99s.get(name) ?? []);
    const texts = all.map(({ name }) => `${name} ${p99Of(name).toFixed(2)} ms`);
    process.stdout.write(`one sequential client, p99: ${texts.join(', ')}\n`);
    const added = (p99s.get('ours') ?? []).map((ms, round) => ms - (p99s.get('direct')?.[round] ?? Number.NaN));
    return [{ name: 'origin/added-p99-ms', ratio: median(added), bar: BAR_MS, isMaximum: true }];
  });
}

async function visit({ set }: Ground, { name, serving }: Runner, seconds: number): Promise<readonly number[]> {
  const asked: Asked = { protocol: name === 'direct' ? 'direct' : 'http1', sentBytes: 0, bytes: SMALL };
  const load = { ...asked, connections: 1, isSequential: true, names: [0, 1], seconds } as const;
  return (await driveOrigin(serving, set.rootPem, load)).latencies;
}
