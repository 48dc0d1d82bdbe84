import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@pets/platform';
import { dispatchClaims, dispatchDue, type Dispatch } from './lease-dispatcher.js';

type Claim = 'order' | 'look' | 'answered' | 'early';

const claims: readonly Claim[] = ['order', 'look', 'answered', 'early'];

/** The steps of a dispatch, in order. @param failing the step that fails */
async function stepsOf(failing: 'build' | 'enqueue' | 'defer' | 'answer' | null): Promise<readonly string[]> {
  const steps: string[] = [];
  const step = async (name: string, of: readonly string[]) => {
    if (name === failing) throw new Error(`${name} failed`);
    steps.push(`${name} ${of.join(' ')}`);
  };
  const dispatch: Dispatch<Claim, string, string> = {
    build: async () => {
      await step('build', claims);
      const jobs = [
        { claim: 'order', job: 'order' },
        { claim: 'look', job: 'look' },
      ] as const;
      return { jobs, answers: [{ claim: 'answered', answer: 'known' }] };
    },
    enqueue: (jobs) => step('enqueue', jobs),
    keepsLease: (claim) => claim === 'order',
    defer: (deferred) => step('defer', deferred),
    applyAnswers: (answers) =>
      step(
        'answer',
        answers.map(({ answer }) => answer),
      ),
    release: (released) => step('release', released),
    failure: 'not dispatched',
    log: createLogger('test', 'silent'),
  };
  await dispatchClaims(claims, dispatch);
  return steps.slice(failing === 'build' ? 0 : 1);
}

describe('dispatchClaims', () => {
  it('enqueues jobs, defers what cannot be done yet, and applies answers', async () => {
    expect(await stepsOf(null)).toEqual(['enqueue order look', 'defer early', 'answer known']);
  });

  it('releases every claim of which no job was built', async () => {
    expect(await stepsOf('build')).toEqual(['release order look answered early']);
  });

  it('keeps the lease of an order whose job the queue may have taken', async () => {
    expect(await stepsOf('enqueue')).toEqual(['release look answered early']);
  });

  it('releases no claim whose job the queue has taken', async () => {
    expect(await stepsOf('defer')).toEqual(['enqueue order look', 'release answered early']);
    expect(await stepsOf('answer')).toEqual(['enqueue order look', 'defer early', 'release answered']);
  });
});

describe('dispatchDue', () => {
  const dispatched = async (due: number, rows: { waiting?: number; maxBatches?: number; isReady?: boolean } = {}) => {
    const batches: number[] = [];
    let left = due;
    const total = await dispatchDue(
      {
        batch: 10,
        maxWaiting: 100,
        ...(rows.maxBatches !== undefined && { maxBatches: rows.maxBatches }),
        waitingCount: async () => rows.waiting ?? 0,
        isReady: () => rows.isReady ?? true,
        claimDue: async (limit) => {
          const claimed = Math.min(limit, left);
          left -= claimed;
          return Array.from({ length: claimed }, () => 'claim');
        },
        dispatch: async (batch) => void batches.push(batch.length),
      },
      new AbortController().signal,
    );
    return { total, batches };
  };

  it('claims until a batch is not full', async () => {
    expect(await dispatched(25)).toEqual({ total: 25, batches: [10, 10, 5] });
    expect(await dispatched(20)).toEqual({ total: 20, batches: [10, 10] });
  });

  it.each([
    ['leaves rows due while the queue is full', { waiting: 100 }, []],
    ['leaves rows to replicas that are ready', { isReady: false }, []],
    ['claims no more batches than it may', { maxBatches: 1 }, [10]],
  ])('%s', async (_name, rows, batches) => expect((await dispatched(25, rows)).batches).toEqual(batches));
});
