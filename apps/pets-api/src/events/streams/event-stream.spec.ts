import { describe, expect, it } from '@jest/globals';
import { RequestError } from '@pets/platform';
import { EventStream, parseLastEventId } from './event-stream.js';

const rights = { apiKeyId: 'k', sessionId: null, organizationId: 'o', scope: 'domains:read', projectId: 'p' } as const;
const open = (last = 0n) => new EventStream(rights, last, 0);
const kilobytes = (count: number) => Buffer.alloc(count * 1_024, 'x');
const read = (stream: EventStream) => (stream.readable.read() as Buffer | null)?.toString() ?? '';

describe('EventStream', () => {
  it('writes each line once, in order', () => {
    const stream = open(4n);
    for (const number of [3n, 4n, 5n, 5n, 7n, 6n]) stream.sendLine(number, Buffer.from(`${number} `), 0);
    expect(read(stream)).toBe('5 7 ');
    expect(stream.lastNumber).toBe(7n);
  });

  it('writes a heartbeat after 15 s without a message', () => {
    const stream = open();
    stream.keepAlive(14_999);
    expect(read(stream)).toBe('');
    stream.keepAlive(15_000);
    stream.keepAlive(16_000);
    expect(read(stream)).toBe(':\n\n');
    stream.write(Buffer.from('x'), 20_000);
    expect(read(stream)).toBe('x');
    stream.keepAlive(30_000);
    expect(read(stream)).toBe('');
    stream.keepAlive(35_000);
    expect(read(stream)).toBe(':\n\n');
  });

  it('is dropped with more than 256 KiB unsent, and ignores later messages', () => {
    const stream = open();
    stream.write(kilobytes(256), 0);
    expect(stream.isClosed).toBe(false);
    stream.write(Buffer.from('x'), 0);
    expect(stream.isClosed).toBe(true);
    expect(stream.readable.destroyed).toBe(true);
    stream.write(Buffer.from('x'), 0);
    stream.end();
  });

  it('is dropped when its reader reads nothing for 30 s', () => {
    const stream = open();
    stream.keepAlive(9_000);
    stream.write(kilobytes(1), 9_500);
    for (let now = 10_000; now < 39_000; now += 1_000) stream.keepAlive(now);
    expect(stream.isClosed).toBe(false);
    stream.keepAlive(39_000);
    expect(stream.isClosed).toBe(true);
  });

  it('stays open for a slow reader that reads something', () => {
    const stream = open();
    for (let now = 0; now < 120_000; now += 1_000) {
      stream.write(kilobytes(2), now);
      if (now % 20_000 === 0) stream.readable.read(1_024);
      stream.keepAlive(now);
    }
    expect(stream.isClosed).toBe(false);
  });

  it('signals when the reader has read most of the data, or is gone', async () => {
    const drained = open();
    const dropped = open();
    for (const stream of [drained, dropped]) stream.write(kilobytes(100), 0);
    const waiting = Promise.all([drained.whenNearlyDrained(), dropped.whenNearlyDrained()]);
    drained.readable.resume();
    dropped.drop();
    await waiting;
    expect(drained.readable.readableLength).toBe(0);
  });

  it('is nearly drained before the first message', async () => {
    await open().whenNearlyDrained();
  });

  it('ends after the data that was written', async () => {
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

describe('parseLastEventId', () => {
  it.each([
    [undefined, null],
    ['0', 0n],
    ['7', 7n],
    ['999999999999999999', 999_999_999_999_999_999n],
  ])('reads %s as %s', (header, after) => expect(parseLastEventId(header)).toBe(after));

  it.each(['', '-1', '+1', '01', '1.0', '1e3', '7, 8', 'x', '9999999999999999999', '٣'])('refuses %j', (header) =>
    expect(() => parseLastEventId(header)).toThrow(RequestError),
  );
});
