import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { requireProgress } from './require-progress.js';

const progress = { bytes: 1_000, windowMs: 100 };
const never = new Promise(() => undefined);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function* paced(chunks: readonly number[], pauseMs: number): AsyncGenerator<Buffer> {
  for (const bytes of chunks) {
    await sleep(pauseMs);
    yield Buffer.alloc(bytes);
  }
}

const read = async (body: AsyncIterable<Buffer>, slow = 0) => {
  let bytes = 0;
  for await (const chunk of requireProgress(body, progress)) {
    bytes += chunk.length;
    await sleep(slow);
  }
  return bytes;
};

describe('requireProgress', () => {
  it('passes on a body that arrives fast enough', async () => {
    expect(await read(paced([1, 2, 3], 0))).toBe(6);
    expect(await read(paced(Array(30).fill(500) as number[], 10))).toBe(15_000);
  });

  it.each([
    [
      'nothing',
      async function* () {
        yield* [];
        await never;
      },
    ],
    ['a byte now and then', () => paced(Array(1_000).fill(1) as number[], 20)],
    [
      'a lot, and then nothing',
      async function* () {
        yield Buffer.alloc(100_000);
        await never;
      },
    ],
  ])('ends a body that brings %s', async (_name, make: () => AsyncGenerator<Buffer>) => {
    await expect(read(make())).rejects.toMatchObject({ code: 'timeout' });
  });

  it('does not count the time in which the reader is slow', async () => {
    expect(await read(paced(Array(10).fill(1) as number[], 1), 30)).toBe(10);
  });

  it('rejects with the error of the body', async () => {
    const body = new Readable({ read: () => undefined });
    const reading = pipeline(
      body,
      (chunks: AsyncIterable<Buffer>) => requireProgress(chunks, progress),
      async (chunks) => {
        for await (const chunk of chunks) expect(chunk).toBeDefined();
      },
    );
    body.destroy(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
    const stalled = new Readable({ read: () => undefined });
    await expect(
      pipeline(
        stalled,
        (chunks: AsyncIterable<Buffer>) => requireProgress(chunks, progress),
        async (chunks) => {
          for await (const chunk of chunks) expect(chunk).toBeDefined();
        },
      ),
    ).rejects.toMatchObject({ code: 'timeout' });
    expect(stalled.destroyed).toBe(true);
  });
});
