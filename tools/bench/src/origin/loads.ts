import type { Ground, Serving } from '../edge/contestant.js';
import { median, type Figure } from '../figure.js';
import { originSettings } from '../settings.js';
import { floor, NAMES, ours, withRunners, type Runner } from './contestants.js';
import { driveOrigin, type Asked, type OriginMeasured } from './origin-driver.js';
import { caddy, nginx } from './peers.js';

const { BENCH_ORIGIN_ROUNDS: ROUNDS, BENCH_ORIGIN_SECONDS: SECONDS, BENCH_ORIGIN_WARM_UP: WARM_UP } = originSettings;

const CONNECTIONS = { http1: 32, http2: 8 } as const;
type Protocol = keyof typeof CONNECTIONS;
/** Rounds that Caddy and nginx take part in. */
const PEER_ROUNDS = 2;
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
  const load = { ...asked, names: [0, NAMES], connections: CONNECTIONS[asked.protocol] } as const;
  const drive = (serving: Serving, seconds: number) => driveOrigin(serving, set.rootPem, { ...load, seconds });
  for (const runner of runners) await drive(runner.serving, isPeer(runner) ? SECONDS : WARM_UP);
  const rounds: ReadonlyMap<string, OriginMeasured>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const seen = new Map<string, OriginMeasured>();
    for (const runner of round % 2 === 0 ? runners : runners.toReversed())
      if (round < PEER_ROUNDS || !isPeer(runner)) seen.set(runner.name, await drive(runner.serving, SECONDS));
    rounds.push(seen);
  }
  for (const runner of runners) print(`${runner.name}: ${name} ${describe(rounds, runner)}`);
  return runners.slice(1).map((other) => {
    const pairs = rounds.filter((seen) => seen.has(other.name));
    const ratios = pairs.map((seen) => cpuOf(seen, 'ours') / cpuOf(seen, other.name));
    return {
      name: `origin/${name}-cpu/${other.name}`,
      ratio: median(ratios),
      bar: isPeer(other) ? 0 : BAR,
      isMaximum: true,
    };
  });
}

/** Caddy and nginx have no just-in-time compiler, and no bar. */
function isPeer({ name }: Runner): boolean {
  return name === caddy.name || name === nginx.name;
}

function cpuOf(seen: ReadonlyMap<string, OriginMeasured>, name: string): number {
  return seen.get(name)?.cpuAThousand ?? Number.NaN;
}

function describe(rounds: readonly ReadonlyMap<string, OriginMeasured>[], { name }: Runner): string {
  const all = rounds.flatMap((seen) => seen.get(name) ?? []);
  const rate = median(all.map(({ count, ms }) => (count * 1_000) / ms));
  return `${median(all.map(({ cpuAThousand }) => cpuAThousand)).toFixed(4)} CPU s a thousand, ${rate.toFixed(0)}/s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
