import { expect, it } from '@jest/globals';
import { KeyedSemaphore } from './dns-client.js';

/** Tasks that the test ends. */
function tasks() {
  const ends: (() => void)[] = [];
  return { ends, task: () => new Promise<void>((resolve) => void ends.push(resolve)) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('limits the concurrent tasks of a key, and starts the next when one ends', async () => {
  const semaphore = new KeyedSemaphore(2);
  const { ends, task } = tasks();
  const all = Array.from({ length: 5 }, () => semaphore.run('a', task));
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

it('limits each key separately', async () => {
  const semaphore = new KeyedSemaphore(1);
  const { ends, task } = tasks();
  const all = [semaphore.run('a', task), semaphore.run('b', task)];
  await settled();
  expect(ends).toHaveLength(2);
  ends.forEach((end) => end());
  await Promise.all(all);
});

it('frees the slot of a task that fails', async () => {
  const semaphore = new KeyedSemaphore(1);
  await expect(semaphore.run('a', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await semaphore.run('a', async () => 'done')).toBe('done');
});
