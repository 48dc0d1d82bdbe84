import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';
import { suites, type SuiteName } from '../suites.js';
import { compareBuilds, describeComparison, type Pair } from './compare-builds.js';
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
