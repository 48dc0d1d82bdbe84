import { beforeEach, describe, expect, it } from '@jest/globals';
import { PendingWrite, PendingWrites, type SendEndReason, type SendingConnection } from './pending-writes.js';

const KIB = 1_024;
let nowMs = 0;
let ended: string[];
let endings: SendEndReason[];
beforeEach(() => {
  nowMs = 1_000_000;
  ended = [];
  endings = [];
});

/** A connection without information from the kernel. */
function connectionOf(name: string, addressGroup = name): SendingConnection {
  return {
    addressGroup,
    sendQueueKey: undefined,
    writtenBytes: 0,
    heldBytes: 0,
    waitingBytes: 0,
    stalledReplies: 0,
    waitingSinceMs: undefined,
    latestCompletedStartMs: 0,
    endStalled: () => void ended.push(name),
  };
}

function open(totalBytes = Infinity, bytesPerAddress = Infinity): PendingWrites {
  const onEnding = (ending: SendEndReason) => void endings.push(ending);
  return new PendingWrites({ totalBytes, bytesPerAddress }, onEnding, () => nowMs);
}

const writeOn = (connection: SendingConnection, name = 'a reply') =>
  new PendingWrite(connection, { abortStalled: () => void ended.push(name) });

async function passes(writes: PendingWrites, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 2_500) {
    nowMs += Math.min(left, 2_500);
    await writes.check();
  }
}

describe('a pending reply', () => {
  it('is ended when the client takes nothing for 10 s, but no other reply of its connection', async () => {
    const writes = open();
    const connection = connectionOf('connection');
    const [stalled, moving] = [writeOn(connection, 'stalled'), writeOn(connection, 'moving')];
    writes.beginWrite(stalled, 16 * KIB);
    for (let at = 0; at < 4; at++) {
      expect(ended).toEqual([]);
      writes.beginWrite(moving, 16 * KIB);
      await passes(writes, 2_500);
      writes.complete(moving);
    }
    expect(ended).toEqual(['stalled']);
    expect(endings).toEqual(['stalled']);
  });

  it('is not ended when the client takes it at the minimum rate', async () => {
    const writes = open();
    const write = writeOn(connectionOf('connection'));
    for (let slice = 0; slice < 20; slice++) {
      writes.beginWrite(write, 16 * KIB);
      await passes(writes, 9_000);
      writes.complete(write);
    }
    expect(ended).toEqual([]);
  });

  it('ends its connection when it remains after it was ended', async () => {
    const writes = open();
    writes.beginWrite(writeOn(connectionOf('connection'), 'a reply'), 16 * KIB);
    await passes(writes, 15_000);
    expect(ended).toEqual(['a reply', 'connection']);
  });
});

describe('a sending connection', () => {
  it('is ended when more than 20 of its replies stall', async () => {
    const writes = open();
    const connection = connectionOf('connection');
    for (let index = 0; index < 32; index++) writes.beginWrite(writeOn(connection), 1);
    await passes(writes, 10_000);
    expect(ended.filter((name) => name === 'connection')).toHaveLength(1);
    expect(writes.heldBytes).toBe(0);
    expect(connection.heldBytes).toBe(0);
  });

  it('is not ended when it takes other replies meanwhile', async () => {
    const writes = open();
    const connection = connectionOf('connection');
    for (let round = 0; round < 5; round++) {
      const stalled = Array.from({ length: 10 }, () => writeOn(connection));
      for (const write of stalled) writes.beginWrite(write, 16 * KIB);
      await passes(writes, 10_000);
      for (const write of stalled) writes.drop(write);
      const taken = writeOn(connection);
      for (let slice = 0; slice < 10; slice++) {
        writes.beginWrite(taken, 16 * KIB);
        writes.complete(taken);
      }
    }
    expect(ended).not.toContain('connection');
  });

  it('is ended when it takes nothing for 30 s, even if it cancels and repeats requests', async () => {
    const writes = open();
    const connection = connectionOf('connection');
    for (let second = 0; second < 35 && ended.length === 0; second += 5) {
      const write = writeOn(connection);
      writes.beginWrite(write, 16 * KIB);
      await passes(writes, 5_000);
      writes.drop(write);
    }
    expect(ended).toEqual(['connection']);
    expect(nowMs).toBe(1_030_000);
  });

  it('is not ended when nothing is pending', async () => {
    const writes = open();
    const write = writeOn(connectionOf('connection'));
    writes.beginWrite(write, 16 * KIB);
    writes.complete(write);
    await passes(writes, 60_000);
    expect(ended).toEqual([]);
  });
});

describe('the memory limit', () => {
  const each = 28 * KIB; // 16 KiB and what a stream costs
  const fill = (writes: PendingWrites, names: readonly string[], address?: string) =>
    names.map((name) => writes.beginWrite(writeOn(connectionOf(name, address)), 16 * KIB));

  it('evicts the connection that has waited longest of the address that holds most', () => {
    const writes = open(4 * each);
    fill(writes, ['small'], 'other');
    nowMs += 1;
    fill(writes, ['first', 'second', 'third'], 'attacker');
    nowMs += 1_000;
    expect(fill(writes, ['late'], 'visitor')).toEqual([true]);
    expect(ended).toEqual(['first']);
    expect(endings).toEqual(['evicted']);
    expect(writes.heldBytes).toBe(4 * each);
  });

  it('refuses a write of the same address that starts at the same time', () => {
    const writes = open(Infinity, 2 * each);
    expect(fill(writes, ['first', 'second', 'third'], 'address')).toEqual([true, true, false]);
    nowMs += 1_000;
    expect(fill(writes, ['fourth'], 'address')).toEqual([true]);
    expect(ended).toEqual(['first']);
    expect(endings).toEqual(['refused', 'evicted']);
  });

  it('evicts at once for an address that holds little', () => {
    const writes = open(4 * each);
    fill(writes, ['first', 'second', 'third', 'fourth'], 'attacker');
    expect(fill(writes, ['late'], 'visitor')).toEqual([true]);
    expect(ended).toEqual(['first']);
  });

  it('counts waiting requests until their connection is closed', () => {
    const writes = open(2 * each);
    const connection = connectionOf('connection');
    writes.beginWrite(writeOn(connection), 16 * KIB);
    expect(writes.beginWaiting(connection)).toBe(true);
    expect(writes.beginWaiting(connection)).toBe(true);
    expect(writes.beginWaiting(connection)).toBe(false);
    writes.endWaiting(connection);
    expect(writes.heldBytes).toBe(40 * KIB);
    writes.endWaiting(connection, connection.waitingBytes);
    expect(writes.heldBytes).toBe(each);
    expect(connection.waitingBytes).toBe(0);
  });

  it('counts data that is read ahead, and makes reads smaller when memory is short', () => {
    const writes = open(400 * KIB);
    const connection = connectionOf('connection');
    expect(writes.isTight(connection)).toBe(false);
    writes.beginWrite(writeOn(connection), 16 * KIB, 300 * KIB);
    expect(writes.heldBytes).toBe(328 * KIB);
    expect(writes.isTight(connectionOf('other'))).toBe(true);
  });
});
