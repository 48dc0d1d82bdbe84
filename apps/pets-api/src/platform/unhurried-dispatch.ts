import type { PollLoopOptions } from './background-tasks.js';
import { dispatchDue, type DueRows } from './lease-dispatcher.js';

const POLL_MS = 5_000;
/** One small batch per round, with a pause between rounds: revocations share a queue with orders, for which users wait. */
const BATCH = 10;
const PAUSE_MS = 100;
const MAX_WAITING = 500;

type UnhurriedRows<Claim> = Required<Pick<PollLoopOptions, 'channel' | 'failure'>> &
  Pick<DueRows<Claim>, 'waitingCount' | 'claimDue' | 'dispatch'>;

/** The loop of due rows that are not urgent. */
export function unhurriedDispatch<Claim>({ channel, failure, ...rows }: UnhurriedRows<Claim>): PollLoopOptions {
  return {
    ...{ channel, failure, pollMs: POLL_MS, pauseMs: PAUSE_MS },
    round: async (signal) => {
      await dispatchDue({ ...rows, batch: BATCH, maxBatches: 1, maxWaiting: MAX_WAITING }, signal);
    },
  };
}
