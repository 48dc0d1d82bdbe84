import { randomInt } from 'node:crypto';
import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';
import { chaosCertificates } from './certificates/chaos-certificates.js';
import { chaosEdge } from './edge/chaos-edge.js';
import { chaosEngine } from './engine/chaos-engine.js';
import type { Round } from './round.js';

/**
 * `npm run chaos -- SUITE [NAME]`, or all suites. Breaks one thing after the other while the product works, and prints
 * one line a round: `PASS NAME`, or `FAIL NAME: what was seen`. Exit 1 when a round failed. What is random follows from
 * `CHAOS_SEED`, which is printed.
 */
const suites: Readonly<Record<string, (options: ChaosOptions) => AsyncIterable<Round>>> = {
  engine: chaosEngine,
  certificates: chaosCertificates,
  edge: chaosEdge,
};

export interface ChaosOptions {
  readonly seed: number;
  /** How often each fault is tried; those that last long a fifth as often. */
  readonly rounds: number;
  /** Only this fault. */
  readonly only: string | undefined;
}

const [wanted, only] = process.argv.slice(2);
const { CHAOS_SEED: seed, CHAOS_ROUNDS: rounds } = loadConfigOrExit(
  z.object({
    CHAOS_SEED: setting.integer().default(randomInt(2 ** 31)),
    CHAOS_ROUNDS: setting.integer().default(5),
  }),
);
process.stdout.write(`seed ${seed}\n`);

for (const suite of wanted === undefined ? Object.values(suites) : [suites[wanted]]) {
  if (suite === undefined) {
    process.stderr.write(`there is no suite ${wanted ?? ''}; there are: ${Object.keys(suites).join(', ')}\n`);
    process.exit(1);
  }
  for await (const { name, seen } of suite({ seed, rounds, only })) {
    process.stdout.write(seen.length === 0 ? `PASS ${name}\n` : `FAIL ${name}: ${seen.join('; ')}\n`);
    if (seen.length > 0) process.exitCode = 1;
  }
}
