import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';
import { describeRatio, median, spread } from '../figure.js';
import { suites, type SuiteName } from '../suites.js';
import { openOtherBuild, runSuiteOf, thisBuild, type Build } from './other-build.js';

const FEWEST_PAIRS = 5;

/**
 * Runs a suite of this build and the same suite of another commit's build in turns, in short parts, and prints how their
 * figures and CPU times differ. Each side measures itself beside its own peers, with its own programs.
 * @throws UnusableBuildError
 */
export async function compareWith(commit: string, suite: SuiteName): Promise<void> {
  const { BENCH_PAIRS: count } = loadConfigOrExit(
    z.object({
      /** How often both builds run the suite. */
      BENCH_PAIRS: setting.integer().pipe(z.int().min(FEWEST_PAIRS)).default(FEWEST_PAIRS),
    }),
  );
  const { part, limitMinutes } = suites[suite];
  process.stdout.write(`building ${commit}\n`);
  const otherBuild = openOtherBuild(commit);
  const run = async (build: Build) => (await runSuiteOf(build, suite, { part, limitMinutes })).figures;
  const pairs: Pair[] = [];
  for (let pair = 0; pair < count; pair++) {
    process.stdout.write(`== ${suite}, pair ${pair + 1} of ${count}\n`);
    // The other build goes first every other time, so that a drift of the machine favours nobody.
    const isFirst = pair % 2 === 0;
    const first = await run(isFirst ? thisBuild : otherBuild);
    const second = await run(isFirst ? otherBuild : thisBuild);
    pairs.push(isFirst ? { here: first, there: second } : { here: second, there: first });
  }
  for (const compared of compareBuilds(pairs)) {
    process.stdout.write(`${describeComparison(suite, commit, compared)}\n`);
  }
}

/** The figures of one part of a suite, run by both builds. */
export interface Pair {
  readonly here: ReadonlyMap<string, number>;
  readonly there: ReadonlyMap<string, number>;
}

/** A figure of this build over the same figure of the other one. */
export interface Comparison {
  readonly name: string;
  /** Medians of all pairs. */
  readonly here: number;
  readonly there: number;
  /** The median of the pairs' ratios, since what else the machine does changes from pair to pair. */
  readonly ratio: number;
  /** The standard deviation of the pairs' ratios. */
  readonly spread: number;
}

/** A figure that some pair has on one side only, or without a value to divide by. */
export interface Incomparable {
  readonly name: string;
  readonly reason: string;
}

export function compareBuilds(pairs: readonly Pair[]): readonly (Comparison | Incomparable)[] {
  const names = new Set(pairs.flatMap(({ here, there }) => [...here.keys(), ...there.keys()]));
  return [...names].map((name) => {
    const values = pairs.map(({ here, there }) => ({ here: here.get(name), there: there.get(name) }));
    const [isHere, isThere] = [
      values.every(({ here }) => here !== undefined),
      values.every(({ there }) => there !== undefined),
    ];
    if (!isHere || !isThere)
      return {
        name,
        reason: isHere ? 'only this build has it' : isThere ? 'only the other build has it' : 'some runs lack it',
      };
    const here = values.map((value) => value.here ?? Number.NaN);
    const there = values.map((value) => value.there ?? Number.NaN);
    const ratios = here.map((value, pair) => value / (there[pair] ?? Number.NaN));
    if (!ratios.every(Number.isFinite)) return { name, reason: 'there is nothing to divide by' };
    return { name, here: median(here), there: median(there), ratio: median(ratios), spread: spread(ratios) };
  });
}

/** The line that is printed: `ratio SUITE/FIGURE/against VALUE ± SPREAD`. */
export function describeComparison(suite: string, other: string, compared: Comparison | Incomparable): string {
  const name = compared.name.startsWith(`${suite}/`) ? compared.name : `${suite}/${compared.name}`;
  if ('reason' in compared) return `${name}/against not comparable: ${compared.reason}`;
  const { ratio, spread: deviation, here, there } = compared;
  const values = compared.name.startsWith('cpu/')
    ? `${describeCpu(here)} here, ${describeCpu(there)} at ${other}`
    : `${describeRatio(here)} here, ${describeRatio(there)} at ${other}`;
  return `ratio ${name}/against ${describeRatio(ratio)} ± ${deviation.toFixed(2)}   ${values}`;
}

/** CPU time for one unit of work. */
function describeCpu(seconds: number): string {
  return `${(seconds * 1e6).toPrecision(3)} µs`;
}
