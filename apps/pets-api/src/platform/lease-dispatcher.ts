/**
 * Turns due rows into jobs: claim with a lease (which commits), build, then one `addBulk`. If the process dies in
 * between, the leases expire and the rows are claimed again. Used for the work of domains, for webhooks and for
 * revocations.
 */
import type { Logger } from '@pets/platform';
import type { PollLoopOptions } from './background-tasks.js';

export interface DueRows<Claim> {
  /** The most rows of one claim. After a full claim, more rows may be due. */
  readonly batch: number;
  /** The most claims of one round; unlimited by default. */
  readonly maxBatches?: number;
  /** Waiting jobs from which on the worker is behind: rows stay due in the database. */
  readonly maxWaiting: number;
  readonly waitingCount: () => Promise<number>;
  /** False when another replica must dispatch the rows. */
  readonly isReady?: () => boolean;
  /** Takes due rows, each with a new attempt number and a lease. */
  readonly claimDue: (limit: number) => Promise<readonly Claim[]>;
  readonly dispatch: (claims: readonly Claim[]) => Promise<void>;
}

/** Claims and dispatches until no more is due or the queue is full. @returns how many rows were due */
export async function dispatchDue<Claim>(rows: DueRows<Claim>, signal: AbortSignal): Promise<number> {
  const { batch, maxBatches = Infinity, maxWaiting, isReady = () => true } = rows;
  let total = 0;
  for (let batches = 0; batches < maxBatches && !signal.aborted && isReady(); batches += 1) {
    if ((await rows.waitingCount()) >= maxWaiting) break;
    const claims = await rows.claimDue(batch);
    total += claims.length;
    if (claims.length > 0) await rows.dispatch(claims);
    if (claims.length < batch) break;
  }
  return total;
}

/** The outcome of building claims. A claim in neither list is deferred. */
export interface Built<Claim, Job, Answer> {
  readonly jobs: readonly { readonly claim: Claim; readonly job: Job }[];
  /** Claims that need no worker: their result is known here. */
  readonly answers: readonly { readonly claim: Claim; readonly answer: Answer }[];
}

export interface Dispatch<Claim, Job, Answer> {
  readonly build: (claims: readonly Claim[]) => Promise<Built<Claim, Job, Answer>>;
  readonly enqueue: (jobs: readonly Job[]) => Promise<void>;
  /** Whether a claim keeps its lease when its job may be in the queue, since two jobs of it must not run at once. */
  readonly keepsLease?: (claim: Claim) => boolean;
  /** Takes the claims that cannot be done yet. */
  readonly defer?: (claims: readonly Claim[]) => Promise<void>;
  readonly applyAnswers?: (answers: Built<Claim, Job, Answer>['answers']) => Promise<void>;
  /** Makes rows claimable again after a moment. */
  readonly release: (claims: readonly Claim[], afterSeconds: number) => Promise<void>;
  /** Logged when claims could not be dispatched. */
  readonly failure: string;
  readonly log: Logger;
}

/** When claims could not be dispatched, their rows are claimable again after this. */
const RELEASE_SECONDS = 2;

/** Never rejects: claims that could not be dispatched are released. */
export async function dispatchClaims<Claim, Job, Answer>(
  claims: readonly Claim[],
  dispatch: Dispatch<Claim, Job, Answer>,
): Promise<void> {
  const { keepsLease = () => false, log } = dispatch;
  let open = claims;
  try {
    const { jobs, answers } = await dispatch.build(claims);
    const withJob = new Set(jobs.map(({ claim }) => claim));
    const answered = new Set(answers.map(({ claim }) => claim));
    // An error of `enqueue` does not say whether the queue has taken the jobs.
    open = claims.filter((claim) => !(withJob.has(claim) && keepsLease(claim)));
    await dispatch.enqueue(jobs.map(({ job }) => job));
    open = claims.filter((claim) => !withJob.has(claim));
    await dispatch.defer?.(open.filter((claim) => !answered.has(claim)));
    open = [...answered];
    await dispatch.applyAnswers?.(answers);
  } catch (error) {
    log.error({ err: error, claims: open.length }, dispatch.failure);
    await dispatch
      .release(open, RELEASE_SECONDS)
      .catch((cause: unknown) =>
        log.error({ err: cause }, 'release failed; rows stay claimed until their leases expire'),
      );
  }
}

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
