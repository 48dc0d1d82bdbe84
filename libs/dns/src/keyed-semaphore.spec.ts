import { expect, it } from '@jest/globals';
import { KeyedSemaphore } from './keyed-semaphore.js';

/** Tasks that end when the test says so. */
function tasks() {
  const ends: (() => void)[] = [];
  return { ends, task: () => new Promise<void>((resolve) => void ends.push(resolve)) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('lets so many at a time through to a server, and the next one as soon as one is done', async () => {
  const turns = new KeyedSemaphore(2);
  const { ends, task } = tasks();
  const all = Array.from({ length: 5 }, () => turns.run('a', task));
  await settled();
  expect(ends).toHaveLength(2);
  ends[0]?.();
  await settled();
  expect(ends).toHaveLength(3);
  for (let i = 1; i < 5; i += 1) {
    ends[i]?.();
    await settled();
  }
  await Promise.all(all);
});

it('keeps servers apart', async () => {
  const turns = new KeyedSemaphore(1);
  const { ends, task } = tasks();
  const all = [turns.run('a', task), turns.run('b', task)];
  await settled();
  expect(ends).toHaveLength(2);
  ends.forEach((end) => end());
  await Promise.all(all);
});

it('gives the turn on when a task fails', async () => {
  const turns = new KeyedSemaphore(1);
  await expect(turns.run('a', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await turns.run('a', async () => 'through')).toBe('through');
});
