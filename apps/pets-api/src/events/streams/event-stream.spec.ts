import { describe, expect, it } from '@jest/globals';
import { EventStream } from './event-stream.js';

const rights = { apiKeyId: 'k', sessionId: null, organizationId: 'o', projectId: 'p' };
const open = (last = 0n) => new EventStream(rights, last, 0);
const kilobytes = (count: number) => Buffer.alloc(count * 1_024, 'x');
const read = (stream: EventStream) => (stream.readable.read() as Buffer | null)?.toString() ?? '';

describe('a stream of events', () => {
  it('tells each line once, in order', () => {
    const stream = open(4n);
    for (const number of [3n, 4n, 5n, 5n, 7n, 6n]) stream.tell(number, Buffer.from(`${number} `), 0);
    expect(read(stream)).toBe('5 7 ');
    expect(stream.lastNumber).toBe(7n);
  });

  it('shows a sign of life after 15 s without one', () => {
    const stream = open();
    stream.beat(14_999);
    expect(read(stream)).toBe('');
    stream.beat(15_000);
    stream.beat(16_000);
    expect(read(stream)).toBe(':\n\n');
    stream.write(Buffer.from('x'), 20_000);
    expect(read(stream)).toBe('x');
    stream.beat(30_000);
    expect(read(stream)).toBe('');
    stream.beat(35_000);
    expect(read(stream)).toBe(':\n\n');
  });

  it('is dropped with more than 256 KiB unsent, and takes nothing more', () => {
    const stream = open();
    stream.write(kilobytes(256), 0);
    expect(stream.isOver).toBe(false);
    stream.write(Buffer.from('x'), 0);
    expect([stream.isOver, stream.readable.destroyed]).toEqual([true, true]);
    stream.write(Buffer.from('x'), 0);
    stream.end();
  });

  it('is dropped when its reader takes nothing for 30 s', () => {
    const stream = open();
    stream.beat(9_000);
    stream.write(kilobytes(1), 9_500);
    for (let now = 10_000; now < 39_000; now += 1_000) stream.beat(now);
    expect(stream.isOver).toBe(false);
    stream.beat(39_000);
    expect(stream.isOver).toBe(true);
  });

  it('stays open for a reader that is slow but takes something', () => {
    const stream = open();
    for (let now = 0; now < 120_000; now += 1_000) {
      stream.write(kilobytes(2), now);
      if (now % 20_000 === 0) stream.readable.read(1_024);
      stream.beat(now);
    }
    expect(stream.isOver).toBe(false);
  });

  it('lets whoever can wait do so until the reader has taken most of it, or is gone', async () => {
    const [taken, gone] = [open(), open()];
    for (const stream of [taken, gone]) stream.write(kilobytes(100), 0);
    const waiting = Promise.all([taken.whenAlmostTaken(), gone.whenAlmostTaken()]);
    taken.readable.resume();
    gone.drop();
    await waiting;
    expect(taken.readable.readableLength).toBe(0);
    await open().whenAlmostTaken();
  });

  it('ends after what was written', async () => {
    const stream = open();
    stream.write(Buffer.from('last'), 0);
    stream.end();
    stream.write(Buffer.from('more'), 0);
    stream.end();
    const chunks: Buffer[] = [];
    for await (const chunk of stream.readable) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('last');
  });
});
