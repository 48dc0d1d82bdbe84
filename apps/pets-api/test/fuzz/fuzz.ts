import fc, { type Arbitrary } from 'fast-check';

/** Cases an operation, over all kinds of requests together. The same at each run: more, or another seed, finds more. */
const CASES = readNumber('FUZZ_CASES', 500);
const SEED = readNumber('FUZZ_SEED', 20_301_205);

/** Requests under way at once: each lane is a property of its own, so that a failure shrinks to one request. */
const LANES = 10;

/** For a test of so many cases; generous, since many processes may share the machine. */
export const FUZZ_LIMIT_MS = 60_000 + CASES * 60;

/**
 * Checks a number of cases, always the same ones for the same seed.
 * @param check throws for a case that fails
 */
export async function fuzz<Case>(
  share: number,
  cases: Arbitrary<Case>,
  check: (one: Case) => Promise<void>,
): Promise<void> {
  const numRuns = Math.ceil((CASES * share) / LANES);
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    fc.check(fc.asyncProperty(cases, check), { seed: SEED + lane, numRuns }),
  );
  const failed = (await Promise.all(lanes)).find((lane) => lane.failed);
  if (failed === undefined) return;
  const { errorInstance, numRuns: run, numShrinks } = failed;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(`${reason}\n\nfound with FUZZ_SEED=${SEED}, in run ${run}, shrunk ${numShrinks} times`);
}

function readNumber(name: string, fallback: number): number {
  const text = process.env[name] ?? '';
  if (!/^\d*$/.test(text)) throw new Error(`${name} must be a whole number`);
  return text === '' ? fallback : Number(text);
}
