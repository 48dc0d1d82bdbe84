import type { Ground, Serving } from '../edge/contestant.js';
import { median, type Figure } from '../figure.js';
import { originSettings } from '../settings.js';
import { floor, NAMES, ours, withRunners, type Runner } from './contestants.js';
import { driveOrigin, type Asked, type OriginMeasured } from './origin-driver.js';
import { caddy, nginx } from './peers.js';

const { BENCH_ORIGIN_ROUNDS: ROUNDS, BENCH_ORIGIN_SECONDS: SECONDS, BENCH_ORIGIN_WARM_UP: WARM_UP } = originSettings;

const CONNECTIONS = { http1: 32, http2: 8 } as const;
type Protocol = keyof typeof CONNECTIONS;
/** Ours over the floor's. */
const BAR = 1.35;

const SMALL = 1_024;
const LARGE = 64 * 1_024;

const requests: readonly (readonly [name: string, asked: Omit<Asked, 'protocol'>])[] = [
  ['get-1kb', { sentBytes: 0, bytes: SMALL }],
  ['get-64kb', { sentBytes: 0, bytes: LARGE }],
  ['post-1kb', { sentBytes: SMALL, bytes: SMALL }],
  ['post-64kb', { sentBytes: LARGE, bytes: SMALL }],
];

/** The processor time of a forwarded request, of all servers alternately. */
export async function measureLoads(ground: Ground): Promise<Figure[]> {
  return withRunners(ground, [ours(), floor, caddy, nginx], async (runners) => {
    const figures: Figure[] = [];
    for (const protocol of ['http1', 'http2'] as const)
      for (const [name, asked] of requests)
        figures.push(...(await measureRequest(ground, runners, `${protocol}-${name}`, { protocol, ...asked })));
    return figures;
  });
}

async function measureRequest(
  { set }: Ground,
  runners: readonly Runner[],
  name: string,
  asked: Asked & { readonly protocol: Protocol },
): Promise<Figure[]> {
  const drive = (serving: Serving, seconds: number) =>
    driveOrigin(serving, set.rootPem, {
      ...{ ...asked, seconds, names: [0, NAMES], connections: CONNECTIONS[asked.protocol] },
    });
  for (const { serving } of runners) await drive(serving, WARM_UP);
  const rounds: ReadonlyMap<string, OriginMeasured>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const seen = new Map<string, OriginMeasured>();
    for (const runner of round % 2 === 0 ? runners : runners.toReversed())
      seen.set(runner.name, await drive(runner.serving, SECONDS));
    rounds.push(seen);
  }
  const cpuOf = (of: string) => rounds.map((seen) => seen.get(of)?.cpuAThousand ?? Number.NaN);
  for (const runner of runners) {
    const rates = rounds.map(
      (seen) => ((seen.get(runner.name)?.count ?? 0) * 1_000) / (seen.get(runner.name)?.ms ?? 1),
    );
    print(
      `${runner.name}: ${name} ${median(cpuOf(runner.name)).toFixed(4)} CPU s a thousand, ${median(rates).toFixed(0)}/s`,
    );
  }
  const [mine, others] = [cpuOf('ours'), runners.filter((runner) => runner.name !== 'ours')];
  return others.map((other) => {
    const theirs = cpuOf(other.name);
    const ratio = median(mine.map((cost, round) => cost / (theirs[round] ?? Number.NaN)));
    return { name: `origin/${name}-cpu/${other.name}`, ratio, bar: other.name === 'floor' ? BAR : 0, isMaximum: true };
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
