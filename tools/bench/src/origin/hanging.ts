import type { Ground } from '../edge/contestant.js';
import { median, quantile, type Figure } from '../figure.js';
import { originSettings } from '../settings.js';
import { NAMES, ours, withRunners } from './contestants.js';
import { driveOrigin, hold } from './origin-driver.js';

const { BENCH_ORIGIN_ROUNDS: ROUNDS } = originSettings;

/** One for each name. */
const ORIGINS = NAMES;
const HANGING = 10;
/** Requests that wait for an answer of the applications that hang, all together. */
const WAITING = 2_000;
const VISITED = 400;
const SMALL = 1_024;
const BAR = 1.2;

/** Measures how long visitors of other applications wait while ten of a thousand accept requests and answer none. */
export async function measureHanging(ground: Ground): Promise<Figure[]> {
  const visited = [HANGING, ORIGINS - HANGING] as const;
  return withRunners(
    ground,
    [ours(ORIGINS)],
    async ([runner]) => {
      if (runner === undefined) return [];
      const { serving } = runner;
      const visit = async (seconds: number) => {
        const asked = { protocol: 'http1', sentBytes: 0, bytes: SMALL, isSequential: true } as const;
        const load = { ...asked, connections: VISITED, names: visited, seconds };
        return (await driveOrigin(serving, ground.set.rootPem, load)).latencies;
      };
      await visit(2);
      const rounds: { readonly quiet: number; readonly hanging: number }[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const quiet = quantile(await visit(1), 0.99);
        const end = await hold({ port: serving.port, kind: 'request', connections: WAITING, names: [0, HANGING] });
        rounds.push({ quiet, hanging: quantile(await visit(1), 0.99) });
        await end();
      }
      const p99 = (of: 'quiet' | 'hanging') => median(rounds.map((round) => round[of])).toFixed(2);
      process.stdout.write(
        `${ORIGINS} applications, ${WAITING} requests at ${HANGING} that hang: p99 of the others ${p99('hanging')} ms, quiet ${p99('quiet')} ms\n`,
      );
      const ratio = median(rounds.map(({ quiet, hanging }) => hanging / quiet));
      return [{ name: 'origin/others-p99-hanging/quiet', ratio, bar: BAR, isMaximum: true }];
    },
    HANGING,
  );
}
