import { beforeEach, describe, expect, it } from '@jest/globals';
import { PendingWrite, PendingWrites, type SendEnding, type SendingConnection } from './pending-writes.js';

const KIB = 1_024;
let nowMs = 0;
let ended: string[];
let endings: SendEnding[];
beforeEach(() => {
  nowMs = 1_000_000;
  ended = [];
  endings = [];
});

/** A connection of which the kernel tells nothing. */
function connectionOf(name: string, addressGroup = name): SendingConnection {
  return {
    addressGroup,
    sendQueueKey: undefined,
    writtenBytes: 0,
    heldBytes: 0,
    waitingBytes: 0,
    stalledReplies: 0,
    waitingSinceMs: undefined,
    completedFromMs: 0,
    endStalled: () => void ended.push(name),
  };
}

function open(totalBytes = Infinity, bytesPerAddress = Infinity): PendingWrites {
  const onEnding = (ending: SendEnding) => void endings.push(ending);
  return new PendingWrites({ totalBytes, bytesPerAddress }, onEnding, () => nowMs);
}

const writeOn = (connection: SendingConnection, name = 'a reply') =>
  new PendingWrite(connection, () => void ended.push(name));

async function passes(writes: PendingWrites, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 2_500) {
    nowMs += Math.min(left, 2_500);
    await writes.check();
  }
}

describe('a reply', () => {
  it('of which the client takes nothing for 10 s is ended, and no other of its connection', async () => {
    const writes = open();
    const connection = connectionOf('connection');
    const [stalled, moving] = [writeOn(connection, 'stalled'), writeOn(connection, 'moving')];
    writes.begin(stalled, 16 * KIB);
    for (let at = 0; at < 4; at++) {
      expect(ended).toEqual([]);
      writes.begin(moving, 16 * KIB);
      await passes(writes, 2_500);
      writes.complete(moving);
    }
    expect([ended, endings]).toEqual([['stalled'], ['stalled']]);
  });

  it('that is taken at the minimum rate is not ended', async () => {
    const writes = open();
    const write = writeOn(connectionOf('connection'));
    for (let slice = 0; slice < 20; slice++) {
      writes.begin(write, 16 * KIB);
      await passes(writes, 9_000);
      writes.complete(write);
    }
    expect(ended).toEqual([]);
  });

  it('that is still there after it was ended takes its connection with it', async () => {
    const writes = open();
    writes.begin(writeOn(connectionOf('connection'), 'a reply'), 16 * KIB);
    await passes(writes, 15_000);
    expect(ended).toEqual(['a reply', 'connection']);
  });
});

describe('a connection', () => {
  it('that lets more than 20 replies stall is ended', async () => {
    const writes = open();
    const connection = connectionOf('connection');
    for (let index = 0; index < 32; index++) writes.begin(writeOn(connection), 1);
    await passes(writes, 10_000);
    expect(ended.filter((name) => name === 'connection')).toHaveLength(1);
    expect([writes.heldBytes, connection.heldBytes]).toEqual([0, 0]);
  });

  it('makes up for stalled replies by taking others', async () => {
    const writes = open();
    const connection = connectionOf('connection');
    for (let round = 0; round < 5; round++) {
      const stalled = Array.from({ length: 10 }, () => writeOn(connection));
      for (const write of stalled) writes.begin(write, 16 * KIB);
      await passes(writes, 10_000);
      for (const write of stalled) writes.drop(write);
      const taken = writeOn(connection);
      for (let slice = 0; slice < 10; slice++) {
        writes.begin(taken, 16 * KIB);
        writes.complete(taken);
      }
    }
    expect(ended).not.toContain('connection');
  });

  it('that takes nothing in 30 s is ended, though it cancels and asks again', async () => {
    const writes = open();
    const connection = connectionOf('connection');
    for (let second = 0; second < 35 && ended.length === 0; second += 5) {
      const write = writeOn(connection);
      writes.begin(write, 16 * KIB);
      await passes(writes, 5_000);
      writes.drop(write);
    }
    expect([ended, nowMs]).toEqual([['connection'], 1_030_000]);
  });

  it('on which nothing is pending is not ended', async () => {
    const writes = open();
    const write = writeOn(connectionOf('connection'));
    writes.begin(write, 16 * KIB);
    writes.complete(write);
    await passes(writes, 60_000);
    expect(ended).toEqual([]);
  });
});

describe('memory', () => {
  const each = 28 * KIB; // 16 KiB and what a stream costs
  const fill = (writes: PendingWrites, names: readonly string[], address?: string) =>
    names.map((name) => writes.begin(writeOn(connectionOf(name, address)), 16 * KIB));

  it('is taken from the address that holds the most, where it is short: from who has waited for the longest', () => {
    const writes = open(4 * each);
    fill(writes, ['small'], 'other');
    nowMs += 1;
    fill(writes, ['first', 'second', 'third'], 'attacker');
    nowMs += 1_000;
    expect(fill(writes, ['late'], 'visitor')).toEqual([true]);
    expect([ended, endings, writes.heldBytes]).toEqual([['first'], ['evicted'], 4 * each]);
  });

  it('is not taken for another of the same address that comes at the same time', () => {
    const writes = open(Infinity, 2 * each);
    expect(fill(writes, ['first', 'second', 'third'], 'address')).toEqual([true, true, false]);
    nowMs += 1_000;
    expect(fill(writes, ['fourth'], 'address')).toEqual([true]);
    expect([ended, endings]).toEqual([['first'], ['refused', 'evicted']]);
  });

  it('is had at once by who holds little, though others have just begun to hold much', () => {
    const writes = open(4 * each);
    fill(writes, ['first', 'second', 'third', 'fourth'], 'attacker');
    expect(fill(writes, ['late'], 'visitor')).toEqual([true]);
    expect(ended).toEqual(['first']);
  });

  it('is held by requests that wait, too, until their connection has gone', () => {
    const writes = open(2 * each);
    const connection = connectionOf('connection');
    writes.begin(writeOn(connection), 16 * KIB);
    expect([writes.beginWaiting(connection), writes.beginWaiting(connection)]).toEqual([true, true]);
    expect(writes.beginWaiting(connection)).toBe(false);
    writes.endWaiting(connection);
    expect(writes.heldBytes).toBe(40 * KIB);
    writes.endWaiting(connection, connection.waitingBytes);
    expect([writes.heldBytes, connection.waitingBytes]).toEqual([each, 0]);
  });

  it('that is read ahead counts; and files are read in small pieces while it is short', () => {
    const writes = open(400 * KIB);
    const connection = connectionOf('connection');
    expect(writes.isTight(connection)).toBe(false);
    writes.begin(writeOn(connection), 16 * KIB, 300 * KIB);
    expect([writes.heldBytes, writes.isTight(connectionOf('other'))]).toEqual([328 * KIB, true]);
  });
});
