import { describe, expect, it } from '@jest/globals';
import { OwnerQueue } from './owner-queue.js';

/** Tasks that the test ends, and the names of those that have begun. */
function record(queue: OwnerQueue) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (owner: string, name: string) =>
    queue.run(owner, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (name: string, done: Promise<string>) => {
    ends.get(name)?.();
    expect(await done).toBe(name);
    await new Promise(setImmediate);
  };
  return { begun, run, end };
}

describe('OwnerQueue', () => {
  it('limits concurrent tasks, and runs those of one owner one after the other', async () => {
    const { begun, run, end } = record(new OwnerQueue(2));
    const first = run('hostile', 'h1');
    const others = [run('hostile', 'h2'), run('hostile', 'h3'), run('hostile', 'h4')];
    const neighbour = run('neighbour', 'n1');
    const late = run('late', 'l1');
    expect(begun).toEqual(['h1', 'n1']);
    await end('h1', first);
    expect(begun).toEqual(['h1', 'n1', 'h2']);
    await end('n1', neighbour);
    expect(begun).toEqual(['h1', 'n1', 'h2', 'l1']);
    await end('l1', late);
    expect(begun).toHaveLength(4);
    for (const [at, name] of ['h2', 'h3', 'h4'].entries()) await end(name, others[at] ?? Promise.resolve(''));
  });

  it('continues after a failed task', async () => {
    const queue = new OwnerQueue(1);
    const failed = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
    expect(await queue.run('b', () => Promise.resolve('again'))).toBe('again');
  });
});
