import { memoryMb } from '../engine/processes.js';
import { median, quantile, type Figure } from '../figure.js';
import { edgeSettings } from '../settings.js';
import {
  drive,
  startAndWait,
  type Contestant,
  type Ground,
  type Load,
  type Measured,
  type Serving,
} from './contestant.js';

const { BENCH_EDGE_NAMES: NAMES, BENCH_EDGE_ROUNDS: ROUNDS } = edgeSettings;
const { BENCH_EDGE_SECONDS: SECONDS, BENCH_EDGE_WARM_UP: WARM_UP } = edgeSettings;

/** Requests for this many names warm up the program first. */
const WARM_UP_NAMES = 300;
const HITS = 500;
const COLD_HIT_LIMIT_MS = 10;
const RULES_NAMES = 100;

const steady: Readonly<Record<string, { readonly load: (seconds: number) => Load; readonly bar: number }>> = {
  handshake: { load: (seconds) => ({ kind: 'handshakes', names: NAMES, seconds }), bar: 1 / 1.2 },
  'http1-request': { load: (seconds) => ({ kind: 'http1', names: NAMES, seconds }), bar: 1.5 },
  'http2-request': { load: (seconds) => ({ kind: 'http2', names: NAMES, seconds }), bar: 2 },
};

type Measure = (load: Load) => Promise<Measured>;

interface Runner {
  readonly name: string;
  readonly measure: Measure;
  readonly serving: Serving;
}

/** All servers with all names: first the cost of the first request for a name, then the steady loads, alternating. */
export function measureLoads(ground: Ground, contestants: readonly Contestant[]): Promise<Figure[]> {
  return withRunners(ground, contestants, NAMES, async (runners) => {
    const figures = [...(await measureFirstUse(runners)), ...(await measureSteadyLoads(runners))];
    for (const { name, serving } of runners)
      print(`${name}: ${memoryMb(serving.pid).toFixed(0)} MB with ${NAMES} names, all requested`);
    return figures;
  });
}

/** A site without rules and the same site with as many as it can have: its pages must not cost more. */
export function measureRules(ground: Ground, without: Contestant, withRules: Contestant): Promise<Figure[]> {
  return withRunners(ground, [without, withRules], RULES_NAMES, async (runners) => {
    const figures: Figure[] = [];
    for (const kind of ['http1', 'http2'] as const) {
      const load = (seconds: number): Load => ({ kind, names: RULES_NAMES, seconds });
      for (const { measure } of runners) await measure(load(WARM_UP));
      const costs = await inRounds(`${kind}-request`, runners, () => load(SECONDS));
      const [plain = [], ruled = []] = runners.map(({ name }) => costs.get(name));
      const ratio = median(plain.map((cost, round) => cost / (ruled[round] ?? Number.NaN)));
      figures.push({ name: `edge/${kind}-request-cpu/with-rules`, ratio, bar: 1 / 1.05 });
    }
    return figures;
  });
}

/** Starts servers one after the other, measures them, and stops them. */
async function withRunners(
  ground: Ground,
  contestants: readonly Contestant[],
  names: number,
  measureAll: (runners: readonly Runner[]) => Promise<Figure[]>,
): Promise<Figure[]> {
  const runners: Runner[] = [];
  try {
    for (const contestant of contestants) {
      const { serving } = await startAndWait(contestant, ground, names);
      const measure: Measure = (load) => drive(serving, ground.set.rootPem, load);
      runners.push({ name: contestant.name, serving, measure });
    }
    return await measureAll(runners);
  } finally {
    await Promise.all(runners.map(({ serving }) => serving.stop()));
  }
}

async function measureFirstUse(runners: readonly Runner[]): Promise<Figure[]> {
  const p99s = new Map<string, number>();
  for (const { name, measure } of runners) {
    await measure({ kind: 'hits', first: 0, names: WARM_UP_NAMES });
    const { latencies = [] } = await measure({ kind: 'hits', first: WARM_UP_NAMES, names: HITS });
    const p50 = quantile(latencies, 0.5);
    const p99 = quantile(latencies, 0.99);
    p99s.set(name, p99);
    print(`${name}: first hit on a cold name p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  }
  const begin = WARM_UP_NAMES + HITS;
  const names = Math.floor((NAMES - begin) / ROUNDS);
  const costs = await inRounds('first use of a name', runners, (round) => {
    const isLast = round === ROUNDS - 1;
    const first = begin + round * names;
    return { kind: 'each', first, names: isLast ? NAMES - first : names };
  });
  return [
    ratioToOurs('first-use', costs, 'caddy', 1 / 3),
    { name: 'edge/cold-hit-p99/limit', ratio: COLD_HIT_LIMIT_MS / (p99s.get('ours') ?? Number.NaN), bar: 1 },
  ];
}

async function measureSteadyLoads(runners: readonly Runner[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [what, { load, bar }] of Object.entries(steady)) {
    // Not measured: a program that has just started is slower.
    for (const { measure } of runners) await measure(load(WARM_UP));
    const costs = await inRounds(what, runners, () => load(SECONDS));
    figures.push(
      ratioToOurs(what, costs, 'caddy', bar),
      ratioToOurs(what, costs, 'nginx', 0),
      ratioToOurs(what, costs, 'node', 0),
    );
  }
  return figures;
}

/** CPU seconds per thousand in each round, by server. The servers alternate within a round. */
async function inRounds(
  what: string,
  runners: readonly Runner[],
  load: (round: number) => Load,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rounds = new Map<string, Measured[]>(runners.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, measure } of runners) rounds.get(name)?.push(await measure(load(round)));
  for (const [name, seen] of rounds)
    print(
      `${name}: ${what} ${describe(seen.toSorted((a, b) => a.cpuAThousand - b.cpuAThousand)[Math.floor(seen.length / 2)])}`,
    );
  return new Map([...rounds].map(([name, seen]) => [name, seen.map(({ cpuAThousand }) => cpuAThousand)]));
}

/**
 * Their CPU time divided by ours, the median of all rounds: 2 means that ours needs half of theirs. The ratio is taken in
 * each round, because other load on the machine changes, and within a round all servers meet the same.
 */
function ratioToOurs(what: string, costs: ReadonlyMap<string, readonly number[]>, other: string, bar: number): Figure {
  const ours = costs.get('ours') ?? [];
  const ratios = (costs.get(other) ?? []).map((theirs, round) => theirs / (ours[round] ?? Number.NaN));
  return { name: `edge/${what}-cpu/${other}`, ratio: median(ratios), bar };
}

function describe(seen: Measured | undefined): string {
  if (seen === undefined) return '-';
  const { cpuAThousand, count, ms } = seen;
  return `${cpuAThousand.toFixed(3)} CPU s a thousand, ${((count * 1_000) / ms).toFixed(0)}/s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
