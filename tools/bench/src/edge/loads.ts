import { median, quantile, type Figure } from '../figure.js';
import type { Contestant, Ground, Serving } from './contestant.js';
import { drive, type Load, type Measured } from './driver.js';
import { startAndWait } from './first-answer.js';
import { memoryMb } from './processors.js';
import { edgeSettings } from './settings.js';

const { BENCH_EDGE_NAMES: NAMES, BENCH_EDGE_ROUNDS: ROUNDS, BENCH_EDGE_SECONDS: SECONDS } = edgeSettings;

/** So many names are asked for first, so that what comes then meets a program that has warmed up. */
const WARM_UP = 300;
const HITS = 500;
/** Long enough for a compiler at run time to have seen what is asked for again and again. */
const WARM_UP_SECONDS = 10;
const COLD_HIT_LIMIT_MS = 10;

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

/** All servers with all names: first what a name costs that nobody asked for yet, then the steady loads in turns. */
export async function measureLoads(ground: Ground, contestants: readonly Contestant[]): Promise<Figure[]> {
  const runners: Runner[] = [];
  try {
    for (const contestant of contestants) {
      const { serving } = await startAndWait(contestant, ground, NAMES);
      runners.push({
        ...{ name: contestant.name, serving },
        measure: (load) => drive(serving, ground.set.rootPem, load),
      });
    }
    const figures = [...(await measureFirstUse(runners)), ...(await measureSteadyLoads(runners))];
    for (const { name, serving } of runners)
      print(`${name}: ${memoryMb(serving.pid).toFixed(0)} MB with ${NAMES} names that have all been asked for`);
    return figures;
  } finally {
    await Promise.all(runners.map(({ serving }) => serving.stop()));
  }
}

async function measureFirstUse(runners: readonly Runner[]): Promise<Figure[]> {
  const p99s = new Map<string, number>();
  for (const { name, measure } of runners) {
    await measure({ kind: 'hits', first: 0, names: WARM_UP });
    const { latencies = [] } = await measure({ kind: 'hits', first: WARM_UP, names: HITS });
    const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
    p99s.set(name, p99);
    print(`${name}: first hit on a cold name p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  }
  const begin = WARM_UP + HITS;
  const names = Math.floor((NAMES - begin) / ROUNDS);
  const costs = await inTurns('first use of a name', runners, (round) => {
    const isLast = round === ROUNDS - 1;
    const first = begin + round * names;
    return { kind: 'each', first, names: isLast ? NAMES - first : names };
  });
  return [
    against('first-use', costs, 'caddy', 1 / 3),
    { name: 'edge/cold-hit-p99/limit', ratio: COLD_HIT_LIMIT_MS / (p99s.get('ours') ?? Number.NaN), bar: 1 },
  ];
}

async function measureSteadyLoads(runners: readonly Runner[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [what, { load, bar }] of Object.entries(steady)) {
    // Unmeasured: a program that has just started is not the one that visitors meet.
    for (const { measure } of runners) await measure(load(WARM_UP_SECONDS));
    const costs = await inTurns(what, runners, () => load(SECONDS));
    figures.push(against(what, costs, 'caddy', bar), against(what, costs, 'nginx', 0), against(what, costs, 'node', 0));
  }
  return figures;
}

/** CPU seconds a thousand in each round, by server. */
async function inTurns(
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
 * Their CPU time over ours, in the middle of all rounds: 2 means that ours needs half of theirs. Of each round by itself, since
 * what else the machine does comes and goes, and in a round they meet the same.
 */
function against(what: string, costs: ReadonlyMap<string, readonly number[]>, other: string, bar: number): Figure {
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
