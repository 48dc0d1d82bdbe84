import type { Database, Tx } from '@pets/persistence';
import { median } from '../figure.js';
import type { MeasuredStatement } from './statements.js';

const ROUNDS = 50;
const WARM_UP = 3;

/** The median of some rounds, each in a transaction that is undone. @returns milliseconds */
export async function timeStatement(db: Database, { run }: Pick<MeasuredStatement, 'run'>): Promise<number> {
  const rounds: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const ms = await timeOnce(db, run);
    if (round >= 0) rounds.push(ms);
  }
  return median(rounds);
}

async function timeOnce(db: Database, run: (tx: Tx) => Promise<unknown>): Promise<number> {
  let ms = Number.NaN;
  const undone = new Error('undone');
  try {
    await db.transaction().execute(async (tx) => {
      const began = performance.now();
      await run(tx);
      ms = performance.now() - began;
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
  return ms;
}
