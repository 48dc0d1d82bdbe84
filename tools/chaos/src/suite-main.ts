import { beSuite } from '@pets/bench/measured';
import { chaosCertificates } from './certificates/chaos-certificates.js';
import { chaosCutover } from './cutover/chaos-cutover.js';
import { chaosEdge } from './edge/chaos-edge.js';
import { chaosEngine } from './engine/chaos-engine.js';
import type { ChaosOptions, Round, SuiteName } from './round.js';
import { chaosSlowReaders } from './slow-readers/chaos-slow-readers.js';

/** Runs the suite it is given and reports each round to main.ts. */
const runnable: Readonly<Record<SuiteName, (options: ChaosOptions) => AsyncIterable<Round>>> = {
  engine: chaosEngine,
  certificates: chaosCertificates,
  edge: chaosEdge,
  'slow-readers': chaosSlowReaders,
  cutover: chaosCutover,
};

const [suite, seed, rounds, cutoverSeconds, only] = process.argv.slice(2);

await beSuite<Round>(async (report) => {
  const run = runnable[suite as SuiteName]; // main.ts has checked the name
  const options = { seed: Number(seed), rounds: Number(rounds), cutoverSeconds: Number(cutoverSeconds), only };
  for await (const round of run(options)) {
    const { name, seen } = round;
    process.stdout.write(seen.length === 0 ? `PASS ${name}\n` : `FAIL ${name}: ${seen.join('; ')}\n`);
    await report(round);
  }
});
